/**
 * Many small videos through the whole pipeline (measured, bought, made, stored, settled) by one worker, beside a shell
 * loop over the same videos of ffmpeg with the same renditions and encoder settings. What the slower preset of the light
 * renditions adds to the preset alone is shown as well.
 *
 * BENCH_VIDEOS=30; BENCH_FULL=1 is 500
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { pino } from 'pino';

import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { migrate } from '../../src/db/migrate.js';
import type { Statement } from '../../src/db/sql.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import { makeClip } from '../support/media.js';
import { Pipeline } from '../support/worker/pipeline.js';
import { bareLadder } from './bareLadder.js';

const VIDEOS = Number(process.env['BENCH_VIDEOS'] ?? (process.env['BENCH_FULL'] === '1' ? 500 : 30));
const MIN_RATIO = 0.95;
const ACCOUNTS = 5;
/** Polling takes processor time from the worker. */
const POLL_MS = 250;
const VIDEOS_MADE: Statement = {
  name: '',
  text: `select count(*) filter (where status = 'ready') as ready, count(*) filter (where status = 'failed') as failed
    from video where account_id = any ($1::uuid[])`,
};
/** In a codec that must be encoded: H.264 of this size would be passed through. */
const CLIP = {
  name: 'small.mkv',
  durationSeconds: 8,
  width: 854,
  height: 480,
  videoCodec: ['-c:v', 'mpeg4', '-q:v', '3'],
};

const dataDir = (await makeDataDir('dhara-bench-small-')).path;
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
try {
  await migrate(postgres);
  const clip = await makeClip(dataDir, CLIP);
  // One after the other in each half, so that a machine that slows down slows both.
  const half = Math.ceil(VIDEOS / 2);
  const presetSeconds = (await bareLadder(clip, join(dataDir, 'bare'), { upTo: 480 })).seconds;
  const loopSeconds = await loop(clip, half);
  const workerSeconds = await throughWorker(clip, half);
  const ratio =
    (loopSeconds + (await loop(clip, VIDEOS - half))) / (workerSeconds + (await throughWorker(clip, VIDEOS - half)));
  process.stdout.write(
    `${ratio >= MIN_RATIO ? 'ok    ' : 'MISSED'} small videos: ${VIDEOS} videos, the worker's throughput is ${ratio.toFixed(2)} × that of ` +
      `a shell loop over ffmpeg with our settings (target at least ${MIN_RATIO}; first half ${loopSeconds.toFixed(1)} s ` +
      `by hand, ${workerSeconds.toFixed(1)} s by the worker; by hand, our settings take ` +
      `${(loopSeconds / half / presetSeconds).toFixed(2)} × the preset alone)\n`,
  );
  if (ratio < MIN_RATIO) process.exitCode = 1;
} finally {
  await postgres.stop();
  await removeDataDir(dataDir);
}

async function loop(clip: string, videos: number): Promise<number> {
  let seconds = 0;
  for (let video = 0; video < videos; video += 1) {
    seconds += (await bareLadder(clip, join(dataDir, 'bare'), { upTo: 480, asOurs: true })).seconds;
  }
  return seconds;
}

async function readyOf({ db }: Pipeline, accounts: readonly string[]): Promise<number> {
  const [videos] = await db.sql.query<{ ready: string; failed: string }>(VIDEOS_MADE, [accounts]);
  if (Number(videos!.failed) > 0) throw new Error(`${videos!.failed} videos failed`);
  return Number(videos!.ready);
}

/** From the start of the worker until the last video is ready: all of them are waiting by then. */
async function throughWorker(clip: string, videos: number): Promise<number> {
  const pipeline = await Pipeline.start({
    databaseUrl: postgres.runtimeUrl,
    dir: dataDir,
    works: true,
    preset: 'veryfast',
  });
  await pipeline.worker.stop();
  try {
    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => pipeline.account(1_000n)));
    for (let video = 0; video < videos; video += 1) {
      await pipeline.uploaded(accounts[video % ACCOUNTS]!, clip, { quality: '480p' });
    }
    const startMs = performance.now();
    await pipeline.worker.start();
    for (let ready = 0; ready < videos; ready = await readyOf(pipeline, accounts)) {
      process.stderr.write(`\r${ready} of ${videos} videos `);
      await delay(POLL_MS);
    }
    return (performance.now() - startMs) / 1000;
  } finally {
    await pipeline.stop();
  }
}
