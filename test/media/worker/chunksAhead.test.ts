import { join } from 'node:path';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  EncodeFailedError,
  TranscoderKilledError,
  type EncodedLadder,
  type EncodeRequest,
  type Transcoder,
} from '../../../src/ports/transcoder.js';
import { encodeChunk } from '../../../src/worker/encodeChunk.js';
import { processVideo } from '../../../src/worker/processVideo.js';
import { WorkFolders } from '../../../src/worker/workFolder.js';
import { ffmpeg, makeClip, mediaFolder } from '../../support/media.js';
import { openScene, until, type PipelineScene } from '../../support/worker/pipeline.js';
import { bytesOf } from './storedVideo.js';

const SETTINGS = { chunksFromSeconds: 5, chunkSeconds: 4, earlyPlayFromSeconds: 1 };
const SECONDS = 16;
const CHUNKS = 4;
const WHOLE_LADDER = { status: 'ready', playableRungs: ['720p', '480p', '432p', '360p', 'audio'], failureCode: null };

let scene: PipelineScene;
let media: Awaited<ReturnType<typeof mediaFolder>>;
let clip: string;

beforeAll(async () => {
  scene = await openScene();
  media = await mediaFolder();
  const whole = await makeClip(media.path, { name: 'whole.mp4', durationSeconds: SECONDS, width: 1280, height: 320 });
  clip = join(media.path, 'video.mp4');
  // Its sound ends early. Without knowing that it belongs to a picture, this would look like a damaged file.
  const short = ['-t', '6', '-i', whole];
  await ffmpeg('-i', whole, ...short, '-map', '0:v', '-map', '1:a', '-c', 'copy', clip);
});

afterAll(async () => {
  await scene.close();
  await media[Symbol.asyncDispose]();
});

test('while its own worker makes the sound, helpers make the next stage, and pictures come as soon as it plays', async () => {
  const video = await bought();
  const sound = Promise.withResolvers<void>();
  const pictures = Promise.withResolvers<void>();
  const own = video.make({
    encode: async (request, really) => {
      await (request.pictures ? pictures : sound).promise;
      return really(request);
    },
  });
  await until(async () => (await video.chunks('waiting')).length > 0);

  // A chunk of the first stage, and one of the next.
  for (const quality of ['360p', '720p']) {
    await video.help();
    expect(await video.chunks('done', quality)).toHaveLength(CHUNKS);
  }
  expect(await video.video()).toMatchObject({ playableRungs: [], posterPath: null });

  sound.resolve();
  await until(async () => (await video.video()).playableRungs.length > 0);
  const early = { status: 'processing', playableRungs: ['360p', 'audio'], posterPath: null };
  expect(await video.video()).toMatchObject(early);

  pictures.resolve();
  await own;
  expect(await video.video()).toMatchObject({ ...WHOLE_LADDER, posterPath: expect.any(String) as string });
  expect(await video.seconds('audio')).toBeCloseTo(SECONDS, 0);
});

test('a helper whose disk may be broken returns its chunk, and does not fail the video', async () => {
  const video = await bought();
  const stalled = new EncodeFailedError('LIMIT_EXCEEDED', 'It took too long.', 'stall', true);
  const sound = Promise.withResolvers<never>();
  const own = video.make({ encode: () => sound.promise });
  await until(async () => (await video.chunks('waiting')).length > 0);

  const encodeChunk = (): Promise<never> => Promise.reject(stalled);
  await expect(video.help({ encodeChunk })).rejects.toBe(stalled);
  expect(await video.chunks('refused')).toEqual([]);
  await expect(video.help({ encodeChunk })).rejects.toBe(stalled);
  expect(await video.chunks('refused')).toEqual([]);
  sound.reject(new Error('the end of this test'));
  await expect(own).rejects.toThrow('the end of this test');
});

test('without a poster, everything else is made and charged', async () => {
  const video = await bought();
  await video.make({
    encode: (request, really) =>
      request.pictures ? Promise.reject(new EncodeFailedError('LIMIT_EXCEEDED', 'Too large.')) : really(request),
  });
  expect(await video.video()).toMatchObject({ ...WHOLE_LADDER, posterPath: null });
  expect(await scene.pipeline.books(video.accountId)).toMatchObject({ escrow: 0n, revenue: 400_000n });
});

test('pictures whose encoder is killed are tried once more, then skipped', async () => {
  const video = await bought();
  const killed = new TranscoderKilledError('The system killed it, for memory perhaps.');
  const instead: Instead = {
    encode: (request, really) => (request.pictures ? Promise.reject(killed) : really(request)),
  };
  await expect(video.make(instead)).rejects.toBe(killed);
  await video.make(instead);
  expect(await video.video()).toMatchObject({ ...WHOLE_LADDER, posterPath: null });
});

test('a video that cannot be cut gets its pictures from the decode that makes its first rendition', async () => {
  const video = await bought();
  const encodes: string[] = [];
  await video.make({
    canCut: () => Promise.resolve(false),
    encode: (request, really) => {
      encodes.push(
        [...request.renditions.map(({ quality }) => quality), ...(request.pictures ? ['pictures'] : [])].join(' '),
      );
      return really(request);
    },
  });
  expect(encodes).toEqual(['360p audio pictures', '720p 480p 432p']);
  expect(await video.video()).toMatchObject({ ...WHOLE_LADDER, posterPath: expect.any(String) as string });
});

interface Instead {
  readonly encode: (request: EncodeRequest, really: Transcoder['encode']) => Promise<EncodedLadder>;
  readonly canCut?: Transcoder['canCut'];
}

/** A video that waits for its worker. */
async function bought() {
  const { pipeline } = scene;
  const { store, transcoder } = pipeline;
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  const data = { accountId, videoId, attempt: await pipeline.buy(accountId, videoId, '720p') };
  const logger = pino({ level: 'silent' });
  const deps = { ...pipeline.services(), ...SETTINGS, store, folders: new WorkFolders(pipeline.workDir), logger };
  const { signal } = new AbortController();
  const rows = <Row extends object>(name: string, text: string, ...values: string[]): Promise<Row[]> =>
    pipeline.db.sql.query<Row>({ name, text }, [videoId, ...values]);
  return {
    accountId,
    video: () => pipeline.videos.get(accountId, videoId),
    /** Runs a worker whose transcoder does some things differently. */
    make: ({ encode, ...others }: Instead): Promise<void> => {
      const really: Transcoder['encode'] = (request) => transcoder.encode(request);
      const instead = { encode: (request: EncodeRequest) => encode(request, really), ...others };
      const odd = Object.assign(Object.create(transcoder) as Transcoder, instead);
      return processVideo({ ...deps, transcoder: odd }, { data, signal });
    },
    help: (instead: Partial<Transcoder> = {}) =>
      encodeChunk(
        { ...deps, transcoder: Object.assign(Object.create(transcoder) as Transcoder, instead) },
        { data: { ...data, run: 1 }, signal },
        () => false,
      ),
    chunks: (state: string, quality = '360p') =>
      rows(
        'test-chunks-of',
        `select from processing_chunk where video_id = $1 and state = $2 and renditions->0->>'quality' = $3`,
        state,
        quality,
      ),
    seconds: async (quality: string): Promise<number> => {
      const text = 'select prefix || path as key from rendition where video_id = $1 and quality = $2';
      const [row] = await rows<{ key: string }>('test-playlist-of', text, quality);
      const playlist = (await bytesOf(pipeline, row!.key)).toString();
      return [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
    },
  };
}
