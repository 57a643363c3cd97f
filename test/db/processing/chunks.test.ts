import { Readable } from 'node:stream';

import { expect, test } from 'vitest';

import type { Claim } from '../../../src/domain/media/pipeline/attempt.service.js';
import { chunkSegmentName, type ChunkClaim } from '../../../src/domain/media/pipeline/chunk.service.js';
import { Chance } from '../../support/proofs/chance.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { factsOf, plan, renditionOf, SEGMENTS_PER_CHUNK } from './paperChunks.js';
import { ladderOf } from './paperLadder.js';

const ROUNDS = 6;
/** After this many sweeps a lost run writes no more: in production, the last sweep comes a day later. */
const SWEEPS = 4;

const chance = Chance.of('chunks');

const { pipeline } = await sceneOfFile();

test('each chunk is made once despite lost runs, and sweeps remove only what nothing needs', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const video = new PaperVideo((await pipeline.claimed()).claim);
    await video.begin();
    for (let step = 0; step < 40; step += 1) await chance.some(video.steps, 1)[0]!();
    await video.complete();
    await video.expectOnlyWhatPlays();
  }
});

test('only the worker that took a chunk over can finish it', async () => {
  const video = new PaperVideo((await pipeline.claimed()).claim);
  await video.begin();
  const older = (await video.take())!;
  await video.fallSilent();
  const newer = (await video.take())!;
  expect([newer.chunk, newer.fence]).toEqual([older.chunk, older.fence + 1]);
  expect(await pipeline.chunks.finish(older, factsOf(older))).toBe(false);
  expect(await pipeline.chunks.finish(newer, factsOf(newer))).toBe(true);
});

test('a video deleted while its chunks wait for the next run leaves nothing', async () => {
  const video = new PaperVideo((await pipeline.claimed()).claim);
  await video.begin();
  for (let done = 0; done < 2; done += 1) await video.make();
  await video.lose();
  await pipeline.videos.delete(video.claim.accountId, video.claim.videoId);
  expect(await pipeline.chunks.claimNext(video.claim)).toBeNull();
  await video.sweep();
  expect(await video.keys()).toEqual([]);
});

test('a video whose attempt is abandoned while its chunks wait for the next run leaves nothing', async () => {
  const video = new PaperVideo((await pipeline.claimed()).claim);
  await video.begin();
  await video.make();
  await pipeline.attempts.giveBack(video.claim, { faulted: true });
  await video.sweep();
  expect(await video.keys()).toHaveLength(SEGMENTS_PER_CHUNK);
  await pipeline.attempts.abandon(video.claim);
  await video.sweep();
  expect(await video.keys()).toEqual([]);
});

test('chunks cut in another way, or at other boundaries, are not reused', async () => {
  const video = new PaperVideo((await pipeline.claimed()).claim);
  video.chunks = 1;
  await video.begin();
  await video.make();
  await video.lose({ chunks: 2 });
  expect(await video.make()).toMatchObject({ run: 2, made: null });
  await pipeline.db.sql.query(
    { name: 'test-boundaries', text: `update processing set boundaries = '[0]' where video_id = $1` },
    [video.claim.videoId],
  );
  await video.lose();
  expect(await video.make()).toMatchObject({ run: 3, made: null });
  await video.lose();
  expect(await video.make()).toMatchObject({ run: 4, made: { run: 3 } });
});

test('chunks that do not fit together are made again by the next run', async () => {
  const video = new PaperVideo((await pipeline.claimed()).claim);
  await video.begin();
  await video.make();
  await video.lose();
  expect(await video.make()).toMatchObject({ made: { run: 1 } });
  await pipeline.chunks.giveUp(video.claim, [[renditionOf('720p')]]);
  await video.lose();
  expect(await video.make()).toMatchObject({ run: 3, made: null });
});

/** A video whose segments are only names, with several workers, some of them lost, on the chunks of one rendition. */
class PaperVideo {
  chunks = 1 + chance.below(5);
  /** Claims that some worker believes it holds. */
  private readonly atWork: { readonly chunk: ChunkClaim; sweeps: number }[] = [];
  /** First segments of chunks that a worker made without reusing any. */
  private readonly madeAnew: number[] = [];
  private readonly kept = new Map<number, ChunkClaim>();

  constructor(public claim: Claim) {}

  readonly steps = [
    () => this.take(),
    () => this.take(),
    () => this.finishAny(),
    () => this.finishAny(),
    () => this.finishAny(),
    () => this.fallSilent(),
    () => this.sweep(),
    () => this.lose(),
  ];

  begin(): Promise<void> {
    return plan(pipeline, this.claim, ['720p'], this.chunks);
  }

  /** Claims the next chunk. */
  async take(): Promise<ChunkClaim | null> {
    const chunk = await pipeline.chunks.claimNext(this.claim);
    if (chunk) this.atWork.push({ chunk, sweeps: 0 });
    return chunk;
  }

  /** Finishes any claim, including lost ones: their workers write late. */
  async finishAny(): Promise<void> {
    const [hand] = this.atWork.splice(chance.below(this.atWork.length), 1);
    if (hand) await this.finish(hand.chunk);
  }

  async make(): Promise<ChunkClaim | null> {
    const chunk = await this.take();
    if (chunk) await this.finish(chunk);
    return chunk;
  }

  async fallSilent(): Promise<void> {
    const silence = `update processing_chunk set reported_at = reported_at - interval '1 minute' where video_id = $1`;
    await pipeline.db.sql.query({ name: 'test-silence', text: silence }, [this.claim.videoId]);
  }

  /** From now on another run holds the attempt. */
  async lose({ chunks = this.chunks } = {}): Promise<void> {
    this.claim = (await pipeline.attempts.claim(this.claim))!;
    // Keeps the attempt from ending by too many faults.
    await pipeline.db.sql.query({ name: 'test-faults', text: 'update processing set faults = 0 where video_id = $1' }, [
      this.claim.videoId,
    ]);
    this.kept.clear();
    this.chunks = chunks;
    await this.begin();
  }

  /** Sweeps, and finishes claims before their last sweep. */
  async sweep(): Promise<void> {
    for (const hand of this.atWork) hand.sweeps += 1;
    while (this.atWork[0]?.sweeps === SWEEPS) await this.finish(this.atWork.shift()!.chunk);
    for (const table of ['processing_output', 'processing_chunk']) {
      await pipeline.db.sql.query(
        {
          name: `test-due-${table}`,
          text: `update ${table} set sweep_after = service_now() where video_id = $1 and sweep_after is not null`,
        },
        [this.claim.videoId],
      );
    }
    await pipeline.chunks.sweep();
    await pipeline.leftovers.sweepStore();
  }

  async complete(): Promise<void> {
    await this.fallSilent();
    while (await this.make());
    const state = await pipeline.chunks.state(this.claim, [renditionOf('720p')]);
    expect(state).toMatchObject({ chunks: this.chunks, done: this.chunks });
    await pipeline.attempts.finish(this.claim, ladderOf(['720p'], { pictures: false }));
    for (const { chunk } of this.atWork.splice(0)) await this.finish(chunk);
  }

  async expectOnlyWhatPlays(): Promise<void> {
    await this.sweep();
    const playing = [...this.kept.values()].flatMap((chunk) => keysOf(chunk));
    expect(await this.keys()).toEqual(playing.toSorted());
    expect(this.madeAnew.toSorted((a, b) => a - b)).toEqual([...Array(this.chunks).keys()].map((n) => 2 * n));
  }

  keys(): Promise<string[]> {
    const { accountId, videoId } = this.claim;
    return pipeline.keys(`videos/${accountId}/${videoId}/`);
  }

  private async finish(chunk: ChunkClaim): Promise<void> {
    const { made, span, run } = chunk;
    const held = run === this.claim.run && !this.kept.has(span.firstSegment);
    if (held && made) {
      const there = await this.keys();
      expect(there).toEqual(expect.arrayContaining(keysOf({ ...chunk, ...made })));
    }
    for (const key of keysOf(chunk)) await pipeline.store.put(key, Readable.from([Buffer.from(key)]));
    const taken = await pipeline.chunks.finish(chunk, factsOf(chunk));
    if (!held) expect(taken).toBe(false);
    if (!taken) return;
    this.kept.set(span.firstSegment, chunk);
    if (made === null) this.madeAnew.push(span.firstSegment);
  }
}

function keysOf({ outputPrefix, span, fence }: Pick<ChunkClaim, 'outputPrefix' | 'span' | 'fence'>): string[] {
  return [...Array(SEGMENTS_PER_CHUNK).keys()].map(
    (place) => `${outputPrefix}720p/${chunkSegmentName(span.firstSegment + place, fence)}`,
  );
}
