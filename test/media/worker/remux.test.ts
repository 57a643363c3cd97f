import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { beforeEach, expect, test } from 'vitest';

import { PassthroughUnfitError } from '../../../src/ports/packets.js';
import { faultsOf } from '../../support/corpus/playlistRules.js';
import { makeClip } from '../../support/media.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { readVideo } from './publishedVideo.js';

const CREDIT = 1_000_000n;

/** Runs once a stage is encoded, with its number, before any of it is stored. */
let onEncoded: (stage: number, outputDir: string) => Promise<void>;

const { pipeline, dir } = await sceneOfFile({
  works: true,
  // The short clip is not made in chunks, so it always has posters.
  chunks: { chunksFromSeconds: 4, chunkSeconds: 4 },
  onEncoded: (outputDir) => onEncoded(Number(basename(outputDir)), outputDir),
});
const clip = await makeClip(dir, {
  durationSeconds: 9,
  width: 1280,
  height: 720,
  frameRate: '10',
  // Irregular boundaries: at 5 s, then at 8.1 s.
  videoCodec: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '15', '-g', '100', '-force_key_frames', '2,5,8.1'],
});

beforeEach(() => {
  onEncoded = async () => undefined;
});

test('a suitable rendition is passed through and plays first; the others have its boundaries; the price is the same', async () => {
  const gate = Promise.withResolvers<void>();
  onEncoded = (stage) => (stage === 0 ? Promise.resolve() : gate.promise);
  const { accountId, videoId } = await bought();
  const early = await pipeline.until(accountId, videoId, ({ playableRungs }) => playableRungs.length > 0);
  expect(early).toMatchObject({ status: 'processing', playableRungs: ['720p', 'audio'] });
  expect(await boundariesOf(videoId)).toEqual([0, 5_000, 8_100]);

  gate.resolve();
  const ready = await untilReady(accountId, videoId);
  expect(ready).toMatchObject({ quality: '720p', failureCode: null });
  expect(ready.playableRungs).toEqual(expect.arrayContaining(['720p', '360p', 'audio']));
  expect(ready.posterPath).not.toBeNull();
  expect(await extentsOf(accountId, videoId, '1-1/720p')).toEqual(['5.000000', '3.100000', '0.900000']);
  expect(await extentsOf(accountId, videoId, '1-1/360p')).toEqual(['5.000000', '3.100000', '0.900000']);
  expect(faultsOf(await readVideo(pipeline, { accountId, videoId }))).toEqual([]);
  const priceMicros = (ready.durationMs! * 1_500_000n) / 60_000n;
  expect(await pipeline.books(accountId)).toEqual({
    creative: 10n * CREDIT - priceMicros,
    escrow: 0n,
    revenue: priceMicros,
    faults: 0,
  });
});

test('a run after a crash cuts missing renditions at the boundaries of the earlier passthrough', async () => {
  let crashes = 1;
  onEncoded = async (stage) => {
    if (stage === 1 && crashes-- > 0) throw new Error('the worker is lost');
  };
  const { accountId, videoId } = await bought();
  await untilReady(accountId, videoId);
  const cuts = ['5.000000', '3.100000', '0.900000'];
  expect(await extentsOf(accountId, videoId, '1-1/720p')).toEqual(cuts);
  expect(await extentsOf(accountId, videoId, '1-2/360p')).toEqual(cuts);
  expect(await boundariesOf(videoId)).toEqual([0, 5_000, 8_100]);
});

test('a passthrough that comes out wrong is encoded instead, and its boundaries are not used', async () => {
  let stage0 = 0;
  onEncoded = async (stage) => {
    if (stage === 0 && ++stage0 === 1) throw new PassthroughUnfitError('for the test');
  };
  const { accountId, videoId } = await bought();
  const ready = await untilReady(accountId, videoId);
  expect(ready.failureCode).toBeNull();
  expect(ready.playableRungs).toEqual(expect.arrayContaining(['720p', '360p', 'audio']));
  expect(await boundariesOf(videoId)).toBeNull();
  const cuts = ['4.000000', '4.000000', '1.000000'];
  expect(await extentsOf(accountId, videoId, '1-1/720p')).toEqual(cuts);
  expect(await extentsOf(accountId, videoId, '1-1/360p')).toEqual(cuts);
});

test('a long video is passed through too, and its other renditions are made in chunks at the same boundaries', async () => {
  const video = await makeClip(dir, {
    name: 'long.mp4',
    durationSeconds: 13,
    width: 1280,
    height: 96,
    frameRate: '10',
    videoCodec: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '4', '-g', '100', '-force_key_frames', '3.5,7,10.6'],
  });
  const { accountId, videoId } = await bought({}, video);
  const ready = await untilReady(accountId, videoId);
  expect(ready.failureCode).toBeNull();
  expect(ready.playableRungs).toEqual(expect.arrayContaining(['720p', '360p', 'audio']));
  expect(ready.posterPath).not.toBeNull();
  const cuts = ['3.500000', '3.500000', '3.600000', '2.400000'];
  expect(await extentsOf(accountId, videoId, '1-1/720p')).toEqual(cuts);
  expect(await extentsOf(accountId, videoId, '1-1/360p')).toEqual(cuts);
  const playlist = await text(`videos/${accountId}/${videoId}/1-1/360p/index.m3u8`);
  expect(playlist).toContain('#EXT-X-TARGETDURATION:6');
  expect(faultsOf(await readVideo(pipeline, { accountId, videoId }))).toEqual([]);
  expect(playlist.match(/^seg_\d{5}_1\.m4s$/gm)).toHaveLength(4);
});

test('an encrypted video is passed through too: only the stored bytes differ', async () => {
  const clear = new Map<string, string>();
  onEncoded = async (stage, outputDir) => {
    if (stage === 0) clear.set('720p', sha(await readFile(join(outputDir, '720p/seg_00001.m4s'))));
  };
  const { accountId, videoId } = await bought({ encryption: true });
  await untilReady(accountId, videoId);
  expect(await extentsOf(accountId, videoId, '1-1/720p')).toEqual(['5.000000', '3.100000', '0.900000']);
  expect(await text(`videos/${accountId}/${videoId}/1-1/360p/index.m3u8`)).toContain('METHOD=AES-128');
  const key = `videos/${accountId}/${videoId}/1-1/720p/seg_00001.m4s`;
  const stored = await pipeline.store.withLocalFile(key, (path) => readFile(path));
  expect(sha(stored)).not.toBe(clear.get('720p'));
});

async function bought(
  options: { encryption?: boolean } = {},
  video = clip,
): Promise<{ accountId: string; videoId: string }> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, video);
  await pipeline.buy(accountId, videoId, '720p', options);
  return { accountId, videoId };
}

function untilReady(accountId: string, videoId: string) {
  return pipeline.until(accountId, videoId, ({ status }) => status === 'ready' || status === 'failed');
}

async function boundariesOf(videoId: string): Promise<number[] | null> {
  const [row] = await pipeline.db.sql.query<{ boundaries: number[] | null }>(
    { name: 'test-kept-boundaries', text: 'select boundaries from processing where video_id = $1' },
    [videoId],
  );
  return row!.boundaries;
}

/** The lengths of a rendition's segments, from its playlist. */
async function extentsOf(accountId: string, videoId: string, rendition: string): Promise<string[]> {
  const playlist = await text(`videos/${accountId}/${videoId}/${rendition}/index.m3u8`);
  return [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map(([, seconds]) => seconds!);
}

function text(key: string): Promise<string> {
  return pipeline.store.withLocalFile(key, (path) => readFile(path, 'utf8'));
}

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
