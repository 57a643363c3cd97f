/**
 * Whether a worker grows: two of them encode short videos for BENCH_MINUTES, and a line a minute says what they hold. One
 * collects its garbage first, so what its heap holds is in use; two snapshots of it say which objects were added. The other
 * runs as it is deployed, and its figures are those that the system and its own metrics give. In the second half, all
 * connections to the database are cut every ten seconds. Fails if the heap in use grows.
 *
 * BENCH_MINUTES=10  BENCH_S3=1 keeps the videos in a bucket (Debian's Swift)
 */
import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';
import { pino } from 'pino';

import { RUNTIME_ROLE } from '../../src/db/embedded/cluster.js';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { findFreePort } from '../support/freePort.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import { Client } from '../support/graphql/client.js';
import { Inspector } from '../support/inspector.js';
import { makeClip } from '../support/media.js';
import { type Demo, ServiceProcess, signIn } from '../support/service.js';
import { makeBucket, s3Settings, startSwift } from '../support/swift.js';
import { createVideo, sendFile } from '../support/uploads/clip.js';
import { growthOf, kindsOf } from './heapGrowth.js';

const MINUTES = Number(process.env['BENCH_MINUTES'] ?? 10);
const MINUTE_MS = 60_000;
/** Code that is loaded and compiled once is not growth. */
const WARM_UP_MINUTES = MINUTES / 4;
const BUCKET = 'videos';
const CUT_EVERY_MS = 10_000;
const AT_ONCE = 4;
const POLL_MS = 100;
const MB = 1024 ** 2;
/** In a codec that must be encoded. */
const CLIP = { name: 'short.mkv', durationSeconds: 2, width: 426, height: 240, videoCodec: ['-c:v', 'mpeg4'] };
/** A leak of 50 KB a video would be more: the worker makes half of them, some 60 after its warm-up or more. */
const MAX_GROWTH_MB = 3;
const SHOWN = 12;
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${RUNTIME_ROLE}'`;

const folder = (await makeDataDir('dhara-bench-memory-')).path;
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'database'), log: pino({ level: 'warn' }) });
const admin = new pg.Pool({ connectionString: postgres.superuserUrl, max: 1 });
const swift = process.env['BENCH_S3'] === '1' ? await startSwift() : null;
if (swift !== null) await makeBucket(swift, BUCKET);
const running: ServiceProcess[] = [];
let made = 0;
try {
  const inspectorPort = await findFreePort();
  const metricsPort = await findFreePort();
  await (await start('migrate')).exit();
  const first = await start('all', { SEED_DEMO: 'true' });
  const seeded = await first.demo();
  await first.stop();
  const api = await start('api');
  await api.ready();
  const collecting = await start('worker', { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` });
  const untouched = await start('worker', { METRICS_PORT: String(metricsPort) });
  await Promise.all([collecting.started(), untouched.started()]);
  const inspector = await Inspector.open(inspectorPort);
  await measure({ ...seeded, url: api.url }, inspector, { pid: untouched.pid, metricsPort });
  inspector.close();
} finally {
  await Promise.all(running.map((one) => one.stop()));
  await admin.end();
  await postgres.stop();
  await swift?.stop();
  await removeDataDir(folder);
}

async function start(role: string, more: Record<string, string> = {}): Promise<ServiceProcess> {
  const settings = {
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: postgres.runtimeUrl,
    DATABASE_MIGRATION_URL: postgres.migrationUrl,
    LOG_LEVEL: 'info',
    PORT: String(await findFreePort()),
    ...(swift && { S3_BUCKET: BUCKET, ...s3Settings(swift) }),
  };
  const one = ServiceProcess.start([role], { ...settings, ...more });
  running.push(one);
  return one;
}

async function measure(
  demo: Demo,
  inspector: Inspector,
  untouched: { pid: number; metricsPort: number },
): Promise<void> {
  const client = new Client(demo.url, await signIn(demo));
  const file = await openAsBlob(await makeClip(folder, CLIP));
  const done = new AbortController();
  const videos = Array.from({ length: AT_ONCE }, async () => {
    while (!done.signal.aborted) await makeVideo(client, file);
  });
  const heldMb: number[] = [];
  let early = new Map<string, ReturnType<typeof growthOf>[number]>();
  let videosBefore = 0;
  print(
    '| minute | videos | heap in use | beside it | resident | anonymous | heap reserved | heap filled | full collections |',
  );
  print('|---|---|---|---|---|---|---|---|---|');
  try {
    for (let minute = 0; minute <= MINUTES; minute += 1) {
      if (minute > 0) await Promise.race([pass(minute > MINUTES / 2), ...videos]);
      const { heapUsed, external } = await inspector.memoryAfterCollection();
      const { resident, anonymous } = await memoryOf(untouched.pid);
      const { reserved, filled, collections } = await heapOf(untouched.metricsPort);
      const megabytes = [heapUsed, external, resident, anonymous, reserved, filled].map((bytes) => bytes / MB);
      print(`| ${minute} | ${made} | ${megabytes.map((each) => each.toFixed(1)).join(' | ')} | ${collections} |`);
      if (minute < WARM_UP_MINUTES) continue;
      if (heldMb.length === 0) [early, videosBefore] = [kindsOf(await inspector.heapSnapshot()), made];
      heldMb.push((heapUsed + external) / MB);
    }
  } finally {
    done.abort();
  }
  await Promise.all(videos);
  const late = kindsOf(await inspector.heapSnapshot());
  const growthMb = heldMb.at(-1)! - heldMb[0]!;
  for (const { kind, bytes, count } of growthOf(early, late).slice(0, SHOWN)) {
    print(`       ${(bytes / 1024).toFixed(0).padStart(6)} KB more, ${count} more of: ${kind}`);
  }
  const isWithin = growthMb < MAX_GROWTH_MB;
  print(
    `${isWithin ? 'ok    ' : 'MISSED'} memory of a worker: ${growthMb.toFixed(1)} MB more in use after ` +
      `${made - videosBefore} videos of two workers (target less than ${MAX_GROWTH_MB})`,
  );
  if (!isWithin) process.exitCode = 1;
}

/** One minute. */
async function pass(cuts: boolean): Promise<void> {
  const endAtMs = performance.now() + MINUTE_MS;
  while (performance.now() < endAtMs) {
    await delay(Math.min(CUT_EVERY_MS, endAtMs - performance.now()));
    if (cuts) await admin.query(CUT);
  }
}

async function makeVideo(client: Client, file: Blob): Promise<void> {
  const input = { filename: CLIP.name, sizeBytes: file.size, quality: 'P480', autoProcess: true };
  const { id, uploadUrl } = await answered(() => createVideo(client, input));
  // Whether a part arrived cannot be told from here. An upload that is lost is no video.
  const isSent = await sendFile(client, uploadUrl, file).then(
    () => true,
    () => false,
  );
  if (!isSent) return;
  for (;;) {
    const { video } = await answered(() => client.data('query ($id: ID!) { video(id: $id) { status } }', { id }));
    if (video.status === 'FAILED') throw new Error('The video failed.');
    if (video.status === 'READY') break;
    await delay(POLL_MS);
  }
  made += 1;
}

/** The response of a request that is sent again while connections to the database are lost. */
async function answered<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!String(error).includes('SERVICE_UNAVAILABLE')) throw error;
      await delay(POLL_MS);
    }
  }
}

/** What the system says of a process, and what of it is in no file. */
async function memoryOf(pid: number): Promise<{ resident: number; anonymous: number }> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const bytesOf = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024;
  return { resident: bytesOf('Rss'), anonymous: bytesOf('Anonymous') };
}

/** What a process says of its heap. */
async function heapOf(metricsPort: number): Promise<{ reserved: number; filled: number; collections: number }> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const valueOf = (series: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1] ?? 0,
    );
  return {
    reserved: valueOf('nodejs_heap_size_total_bytes'),
    filled: valueOf('nodejs_heap_size_used_bytes'),
    collections: valueOf('nodejs_gc_duration_seconds_count{kind="major"}'),
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
