import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { FencedError, type Claim } from '../../../src/domain/media/pipeline/attempt.service.js';
import type { EncodedLadder } from '../../../src/ports/transcoder.js';
import { EncryptedLadder } from '../../../src/worker/encryptedLadder.js';
import { openScene, type Pipeline, type PipelineScene } from '../../support/worker/pipeline.js';

let scene: PipelineScene;
let pipeline: Pipeline;
let rows: pg.Pool;

beforeAll(async () => {
  scene = await openScene();
  pipeline = scene.pipeline;
  rows = new pg.Pool({ connectionString: scene.database.migrationUrl, max: 1 });
});
afterAll(async () => {
  await rows.end();
  await scene.close();
});

/** `run:index` of each key stored for a video. */
async function kept({ videoId }: Claim): Promise<string[]> {
  const found = await rows.query<{ name: string }>(
    `select run || ':' || key_index as name from media_key where video_id = $1 order by run, key_index`,
    [videoId],
  );
  return found.rows.map(({ name }) => name);
}

test('a run that starts over makes its own keys, and the sweep deletes those of the run before', async () => {
  const { claim: first } = await pipeline.claimed({ encryption: true });
  expect(first.encryption).toBe(true);
  const old = await pipeline.mediaKeys.create(first, 301);
  expect(await kept(first)).toEqual(['1:0', '1:1', '1:2']);

  const second = (await pipeline.attempts.claim(first))!;
  const fresh = await pipeline.mediaKeys.create(second, 300);
  expect(fresh.sealOf(0).key.equals(old.sealOf(0).key)).toBe(false);
  await pipeline.leftovers.sweepStore();
  expect(await kept(first)).toEqual(['2:0', '2:1']);
});

test('a run that was replaced, failed or deleted cannot create keys, and loses those it had', async () => {
  const { claim: lost } = await pipeline.claimed({ encryption: true });
  await pipeline.attempts.claim(lost);
  await expect(pipeline.mediaKeys.create(lost, 10)).rejects.toThrow(FencedError);
  expect(await kept(lost)).toEqual([]);

  const { claim: failed } = await pipeline.claimed({ encryption: true });
  await pipeline.mediaKeys.create(failed, 10);
  await pipeline.attempts.fail(failed, { code: 'X', message: 'x' });
  await expect(pipeline.mediaKeys.create(failed, 10)).rejects.toThrow(FencedError);
  await pipeline.leftovers.sweepStore();
  expect(await kept(failed)).toEqual([]);

  const { claim: deleted } = await pipeline.claimed({ encryption: true });
  await pipeline.mediaKeys.create(deleted, 10);
  await pipeline.videos.delete(deleted.accountId, deleted.videoId);
  expect(await kept(deleted)).toEqual([]);
  await expect(pipeline.mediaKeys.create(deleted, 10)).rejects.toThrow(FencedError);
});

test('no key remains when keys are created while their video is deleted', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { claim } = await pipeline.claimed({ encryption: true });
    await Promise.allSettled([
      pipeline.mediaKeys.create(claim, 10),
      pipeline.videos.delete(claim.accountId, claim.videoId),
    ]);
    expect(await kept(claim)).toEqual([]);
  }
});

test('keys of a run that does not play yet are not found', async () => {
  const { claim } = await pipeline.claimed({ encryption: true });
  await pipeline.mediaKeys.create(claim, 10);
  expect(await pipeline.mediaKeys.find(claim, 0)).toBeNull();
});

test('nothing is stored of a segment that cannot be read', async () => {
  const { claim } = await pipeline.claimed({ encryption: true });
  const keys = await pipeline.mediaKeys.create(claim, 2);
  const outputDir = join(pipeline.workDir, 'broken');
  await mkdir(join(outputDir, '480p'), { recursive: true });
  await writeFile(join(outputDir, '480p/seg_00000.m4s'), Buffer.alloc(100_000, 7));
  await mkdir(join(outputDir, '480p/seg_00001.m4s'));
  const rendition = { playlistPath: '480p/index.m3u8', segmentPaths: ['480p/seg_00000.m4s', '480p/seg_00001.m4s'] };
  const ladder = { renditions: [rendition] } as unknown as EncodedLadder;
  const { store } = pipeline;
  const signal = AbortSignal.timeout(30_000);
  const encrypted = new EncryptedLadder({
    store,
    outputDir,
    prefix: claim.outputPrefix,
    ladder,
    keys,
    digests: new Map(),
    signal,
  });

  await encrypted.put(rendition.segmentPaths[0]!);
  await expect(encrypted.put(rendition.segmentPaths[1]!)).rejects.toThrow('EISDIR');
  expect(await pipeline.keys(claim.outputPrefix)).toEqual([`${claim.outputPrefix}480p/seg_00000.m4s`]);
  await rm(outputDir, { recursive: true });
});
