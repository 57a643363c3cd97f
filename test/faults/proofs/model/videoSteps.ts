import { newId } from '../../../../src/domain/shared/ids.js';
import { AppError } from '../../../../src/errors.js';
import type { ModelEscrow, ModelVideo } from './history.js';
import { isOpen, nthOf, refusal, type Scene, type Step } from './step.js';

/** 720p costs 1.5 credits a minute; whole seconds are exact. */
const MICROS_PER_SECOND = 25_000n;

/** What an owner does with videos: their files cost storage, in the bin as well, and their jobs cost what was quoted. */
export const VIDEO_STEPS = {
  upload: {
    can: isOpen,
    async run({ history, world, ownerId, draw }) {
      const video: ModelVideo = {
        id: newId(),
        bytes: BigInt(draw.permille + 1) * 777_000_001n,
        seconds: 1 + (draw.pick % 1_200),
        place: 'library',
        job: null,
        attempts: 0,
      };
      await world.upload(ownerId, video);
      history.videos.push(video);
      return null;
    },
  },
  buy: {
    can: (scene) => isOpen(scene) && videosIn(scene, 'library', (video) => video.job === null).length > 0,
    async run(scene) {
      const { history, world, ownerId, draw } = scene;
      const video = nthOf(
        videosIn(scene, 'library', (one) => one.job === null),
        draw.pick,
      );
      const micros = BigInt(video.seconds) * MICROS_PER_SECOND;
      const quoteId = await world.quote(ownerId, video.id);
      const act = () => world.processing.process(ownerId, quoteId);
      if (history.wallet.of('DEBT') < 0n) return refusal(act(), 'DEBT_OUTSTANDING');
      if (!history.spend('CREATIVE', 'ESCROW', micros)) return refusal(act(), 'INSUFFICIENT_CREDITS');
      video.attempts += 1;
      const job: ModelEscrow = {
        videoId: video.id,
        attempt: video.attempts,
        bucket: 'CREATIVE',
        micros,
        isOpen: true,
      };
      video.job = job;
      history.jobs.push(job);
      // Sent again, the quote returns the same purchase, or is refused if that was cancelled meanwhile.
      return () =>
        act().catch((error: unknown) => {
          if (job.isOpen || !(error instanceof AppError) || error.code !== 'QUOTE_EXPIRED') throw error;
        });
    },
  },
  jobFails: {
    can: (scene) => videosIn(scene, 'library', (video) => video.job !== null).length > 0,
    async run(scene) {
      const { history, world, ownerId, draw } = scene;
      const video = nthOf(
        videosIn(scene, 'library', (one) => one.job !== null),
        draw.pick,
      );
      await world.failJob({ accountId: ownerId, videoId: video.id, attempt: video.attempts });
      history.endJob(video);
      return null;
    },
  },
  /** A job of a video in the bin has ended, and its purchase is returned. */
  bin: {
    can: (scene) => isOpen(scene) && videosIn(scene, 'library').length > 0,
    async run(scene) {
      const { history, world, ownerId, draw } = scene;
      const video = nthOf(videosIn(scene, 'library'), draw.pick);
      await world.bin.put(ownerId, video.id);
      history.endJob(video);
      video.place = 'bin';
      return null;
    },
  },
  restore: {
    can: (scene) => isOpen(scene) && videosIn(scene, 'bin').length > 0,
    async run(scene) {
      const video = nthOf(videosIn(scene, 'bin'), scene.draw.pick);
      await scene.world.bin.restore(scene.ownerId, video.id);
      video.place = 'library';
      return null;
    },
  },
  deleteForever: {
    can: (scene) => isOpen(scene) && videosIn(scene, 'bin').length > 0,
    async run(scene) {
      const video = nthOf(videosIn(scene, 'bin'), scene.draw.pick);
      await scene.world.bin.deleteForever(scene.ownerId, video.id);
      video.place = 'nowhere';
      return null;
    },
  },
  emptyBin: {
    can: (scene) => isOpen(scene) && videosIn(scene, 'bin').length > 0,
    async run(scene) {
      await scene.world.bin.empty(scene.ownerId, null);
      for (const video of videosIn(scene, 'bin')) video.place = 'nowhere';
      return null;
    },
  },
} satisfies Record<string, Step>;

function videosIn(
  { history }: Scene,
  place: ModelVideo['place'],
  also: (video: ModelVideo) => boolean = () => true,
): ModelVideo[] {
  return history.videos.filter((video) => video.place === place && also(video));
}
