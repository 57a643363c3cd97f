/**
 * What one unit of everything costs in processor time, of the service and of PostgreSQL, as the table of
 * `docs/capacity.md`: `npm run bench -- units`. Each figure is the median of some runs. Processor time, unlike rates,
 * says nearly the same on a busy machine. `views` prints it for a report of a player.
 *
 * BENCH_RUNS=5  BENCH_SECONDS=3  BENCH_CLIP_SECONDS=60 (0 leaves encodes out)
 */
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';
import { pino } from 'pino';

import { PostgresDatabase } from '../../src/db/database.js';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { findFreePort } from '../support/freePort.js';
import { migrate } from '../../src/db/migrate.js';
import { post } from '../../src/domain/ledger/posting.js';
import { newId, videoIdOf } from '../../src/domain/shared/ids.js';
import { fundWallet } from '../support/accounts.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import { Client } from '../support/graphql/client.js';
import { makeClip } from '../support/media.js';
import { ServiceProcess, signIn } from '../support/service.js';
import { createVideo, sendFile } from '../support/uploads/clip.js';
import { ProcessorMeter, processorSeconds } from './processorTime.js';
import { LoadDriver, startService } from './processes.js';
import { get, manifestRequests, mintRequest } from './requests.js';
import { type SeededAccount, seedAccount } from './seed.js';
import { LARGE_BYTES, seedStream, segmentName, SMALL_BYTES } from './stream.js';
import { median } from './tails.js';

const RUNS = Number(process.env['BENCH_RUNS'] ?? 5);
const DURATION_MS = Number(process.env['BENCH_SECONDS'] ?? 3) * 1000;
const CLIP_SECONDS = Number(process.env['BENCH_CLIP_SECONDS'] ?? 60);
const CONNECTIONS = 32;
const KEYS = 200;
/** Their first pages exceed the cache of a process. */
const READERS = 4000;
const POSTINGS_EACH = 150;
const POSTINGS = POSTINGS_EACH * CONNECTIONS;
const FUNDS_MICROS = 1_000_000_000_000n;
const POLL_MS = 1000;

/** In seconds of a processor. */
interface Cost {
  readonly service: number;
  readonly database: number;
}

const dataDir = (await makeDataDir('dhara-bench-units-')).path;
console.log('| one | of the service | of PostgreSQL | on one core, a second |\n|---|---|---|---|');
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
const driver = new LoadDriver();
const ends: (() => Promise<unknown> | void)[] = [
  () => removeDataDir(dataDir),
  () => postgres.stop(),
  () => driver.stop(),
];
try {
  await migrate(postgres);
  const client = new pg.Client({ connectionString: postgres.migrationUrl });
  await client.connect();
  ends.push(() => client.end());
  await measureRequests(client);
  await measurePostings();
} finally {
  for (const end of ends.toReversed()) await end();
}
if (CLIP_SECONDS > 0) await measureEncodes();

function tell(what: string, costs: readonly Cost[]): void {
  const service = median(costs.map((cost) => cost.service * 1e6));
  const database = median(costs.map((cost) => cost.database * 1e6));
  const perSecond = (1e6 / (service + database)).toFixed(0);
  console.log(`| ${what} | ${service.toFixed(0)} µs | ${database.toFixed(0)} µs | ${perSecond} |`);
}

async function measureRequests(client: pg.Client): Promise<void> {
  const masterKey = randomBytes(32);
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const accounts: SeededAccount[] = [];
  for (let n = 0; n < READERS; n += 1) accounts.push(await seedAccount(client, 20));
  const account = await seedAccount(client, 1000);
  const { base } = await seedStream(client, account, { dataDir, masterKey, count: { large: 1, small: 1 } });
  await client.query('vacuum analyze');
  const server = await startService({ ...postgres, poolSize: 10, masterKey, publicUrl, dataDir, port });
  ends.push(() => server.stop());

  const run = async (requests: readonly string[]): Promise<Cost> => {
    const used = () => [processorSeconds(server.pid), processorSeconds(postgres.pid())] as const;
    const before = used();
    const { statuses } = await driver.drive({ port, connections: CONNECTIONS, durationMs: DURATION_MS, requests });
    const refused = Object.keys(statuses).filter((status) => !status.startsWith('2'));
    if (refused.length > 0) throw new Error(`The service answered ${JSON.stringify(statuses)}`);
    const count = Object.values(statuses).reduce((sum, one) => sum + one, 0);
    const after = used();
    return { service: (after[0] - before[0]) / count, database: (after[1] - before[1]) / count };
  };
  const measure = async (what: string, requests: readonly string[]): Promise<void> => {
    await run(requests);
    const costs: Cost[] = [];
    for (let nth = 0; nth < RUNS; nth += 1) costs.push(await run(requests));
    tell(what, costs);
  };

  await measure(`playback token, over ${KEYS} keys`, accounts.slice(0, KEYS).map(mintRequest));
  await measure('playback token, one hot key', [mintRequest(account)]);
  await measure('list of 20 videos, read again', [get('/v1/video', account.key)]);
  const lists = accounts.map(({ key }) => get('/v1/video', key));
  await measure('list of 20 videos, none kept', lists);
  const singles = account.videoIds.map((id) => get(`/v1/video/${videoIdOf(id)}`, account.key));
  await measure('single video', singles);
  await measure('exchange of a token', await manifestRequests(port, account));
  await measure('master playlist', [get(`${base}/master.m3u8`)]);
  await measure('media playlist of an hour', [get(`${base}/1-1/480p/index.m3u8`)]);
  await measure(`segment of ${SMALL_BYTES / 1024} KB, hot`, [get(`${base}/1-1/${segmentName(0, 2)}`)]);
  await measure(`segment of ${LARGE_BYTES / 1e6} MB, hot`, [get(`${base}/1-1/${segmentName(0, 1)}`)]);
}

async function measurePostings(): Promise<void> {
  const db = await PostgresDatabase.connect({ url: postgres.runtimeUrl, maxConnections: CONNECTIONS });
  ends.push(() => db.close());
  const owners = await Promise.all(Array.from({ length: CONNECTIONS }, () => funded(db)));
  const costs: Cost[] = [];
  // The first run plans the statements.
  for (let nth = 0; nth <= RUNS; nth += 1) {
    const used = () => [process.cpuUsage(), processorSeconds(postgres.pid())] as const;
    const before = used();
    await Promise.all(owners.map((ownerId) => allocate(db, ownerId, POSTINGS_EACH)));
    const after = used();
    const own = after[0].user + after[0].system - before[0].user - before[0].system;
    if (nth > 0) costs.push({ service: own / 1e6 / POSTINGS, database: (after[1] - before[1]) / POSTINGS });
  }
  tell('posting', costs);
}

async function funded(db: PostgresDatabase): Promise<string> {
  const ownerId = newId();
  await db.sql.query({ name: 'bench-open-account', text: 'select open_account($1)' }, [ownerId]);
  await fundWallet(db, ownerId, { MASTER: FUNDS_MICROS });
  return ownerId;
}

async function allocate(db: PostgresDatabase, ownerId: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await post(db.sql, {
      ownerId,
      type: 'ALLOCATION',
      idempotencyKey: `allocation:${newId()}`,
      deltas: { MASTER: -1n, CREATIVE: 1n },
    });
  }
}

/** One video after the other through the whole service: measuring, encoding, pictures, storing. */
async function measureEncodes(): Promise<void> {
  const folder = await makeDataDir();
  const settings = { DATA_DIR: join(folder.path, 'data'), PORT: String(await findFreePort()), LOG_LEVEL: 'warn' };
  const service = ServiceProcess.start(['all'], settings);
  try {
    const demo = await service.demo();
    const client = new Client(demo.url, await signIn(demo));
    const clip = await makeClip(folder.path, {
      durationSeconds: CLIP_SECONDS,
      width: 1920,
      height: 1080,
      frameRate: '30',
    });
    const file = await openAsBlob(clip);
    for (const quality of ['P480', 'P720', 'P1080']) {
      const meter = new ProcessorMeter(service.pid);
      const input = { filename: 'clip.mp4', sizeBytes: file.size, quality, autoProcess: true };
      const { id, uploadUrl } = await createVideo(client, input);
      await sendFile(client, uploadUrl, file);
      await untilReady(client, id);
      const seconds = (meter.stop() * 60) / CLIP_SECONDS;
      console.log(
        `| minute of a 1080p source at 30 frames, up to ${quality} | ${seconds.toFixed(0)} s, all processes | | |`,
      );
    }
  } finally {
    await service.stop();
    await folder.remove();
  }
}

async function untilReady(client: Client, id: string): Promise<void> {
  for (;;) {
    const { video } = await client.data('query ($id: ID!) { video(id: $id) { status } }', { id });
    if (video.status === 'READY') return;
    if (video.status === 'FAILED') throw new Error('The video failed.');
    await delay(POLL_MS);
  }
}
