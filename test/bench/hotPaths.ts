/**
 * The hot paths: the service beside a bare baseline, on one PostgreSQL with durable settings, under the same load in
 * turn. Prints ratios, the processor time of each side, and the slowest latencies at a steady rate, half of the
 * baseline's maximum. Exits with 1 if one misses its target. On a busy machine the ratio of rates varies widely; that of
 * processor times, server and database together, does not.
 *
 * BENCH_ONLY=list,hot  runs these alone      BENCH_PAIRS=5  BENCH_SECONDS=3  BENCH_LARGE=1000000
 * BENCH_CONNECTIONS=1  shows how long a request alone takes
 */
import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { pino } from 'pino';

import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { findFreePort } from '../support/freePort.js';
import { migrate } from '../../src/db/migrate.js';
import { deriveKey } from '../../src/domain/shared/secrets/masterKey.js';
import { Cursors } from '../../src/api/rest/cursor.js';
import { listParameters } from '../../src/api/rest/schemas/listParameters.js';
import { LoadDriver, residentMb, type Server, startBaseline, startService } from './processes.js';
import { processorSeconds } from './processorTime.js';
import { get, manifestRequests, mintRequest } from './requests.js';
import { positionsAt, type SeededAccount, seedAccount, seedLargeAccount } from './seed.js';
import { measureTails, median } from './tails.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';

const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 5);
const DURATION_MS = Number(process.env['BENCH_SECONDS'] ?? 3) * 1000;
const LARGE = Number(process.env['BENCH_LARGE'] ?? 1_000_000);
const ONLY = process.env['BENCH_ONLY']?.split(',');
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 32);
const POOL_SIZE = 10;
const KEYS = 200;
/** Their first pages exceed the cache of a process. */
const READERS = 4000;
const SMALL = 1000;
const MAX_RESIDENT_MB = 320;

interface Side {
  readonly server: Server;
  readonly requests: readonly string[];
}

interface Scenario {
  readonly name: string;
  readonly title: string;
  /** Minimum ratio of the second side's rate to the first's. */
  readonly target: number;
  /** Whether the first side is the bare handler. */
  readonly isBesideBare: boolean;
  sides(): Promise<readonly [Side, Side]>;
}

const dataDir = (await makeDataDir('dhara-bench-')).path;
const log = pino({ level: 'warn' });
const postgres = await startEmbeddedPostgres({ dataDir, log });
const driver = new LoadDriver();
const running: Server[] = [];
let missed = false;
try {
  await migrate(postgres);
  const client = new pg.Client({ connectionString: postgres.migrationUrl });
  await client.connect();
  const masterKey = randomBytes(32);
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const common = { poolSize: POOL_SIZE, publicUrl };
  const baseline = await startBaseline({ ...common, databaseUrl: postgres.runtimeUrl });
  running.push(baseline);
  const service = await startService({ ...postgres, ...common, masterKey, dataDir, port });
  running.push(service);

  const scenarios = await plan(client, baseline, service, masterKey);
  await client.query('vacuum analyze');
  for (const scenario of scenarios) if (!ONLY || ONLY.includes(scenario.name)) await measure(scenario);
  reportMemory(service, baseline);
  await client.end();
} finally {
  driver.stop();
  for (const server of running) await server.stop();
  await postgres.stop();
  await removeDataDir(dataDir);
}
if (missed) process.exitCode = 1;

async function plan(client: pg.Client, baseline: Server, service: Server, masterKey: Buffer): Promise<Scenario[]> {
  const small = await seedAccount(client, SMALL);
  const both = (requests: readonly string[]): readonly [Side, Side] => [
    { server: baseline, requests },
    { server: service, requests },
  ];
  return [
    {
      name: 'list',
      title: 'list: key and the 20 newest, read again',
      target: 2,
      isBesideBare: true,
      sides: async () => both([get('/v1/video', small.key)]),
    },
    {
      name: 'newLists',
      title: `list of each of ${READERS} keys in turn, none of which is kept`,
      target: 0.75,
      isBesideBare: true,
      sides: async () => {
        const accounts = await seedMany(client, READERS);
        return both(accounts.map(({ key }) => get('/v1/video', key)));
      },
    },
    {
      name: 'tokens',
      title: `token over ${KEYS} keys`,
      target: 1.5,
      isBesideBare: true,
      sides: async () => {
        const accounts = await seedMany(client, KEYS);
        return both(accounts.map((account) => mintRequest(account)));
      },
    },
    {
      name: 'hot',
      title: 'token on one hot key',
      target: 4,
      isBesideBare: true,
      sides: async () => both([mintRequest(small)]),
    },
    {
      name: 'manifest',
      title: 'manifest',
      target: 1.5,
      isBesideBare: true,
      sides: async () => [
        { server: baseline, requests: await manifestRequests(baseline.port, small) },
        { server: service, requests: await manifestRequests(service.port, small) },
      ],
    },
    {
      name: 'deep',
      title: `by cursor: ${LARGE} videos at any depth, against ${SMALL}`,
      target: 1 / 1.2,
      isBesideBare: false,
      sides: async () => {
        const large = await seedLargeAccount(client, LARGE);
        await client.query('vacuum analyze video');
        const cursors = new Cursors(deriveKey(masterKey, 'list-cursor'));
        const walk = async (account: SeededAccount, count: number): Promise<string[]> => {
          const positions = await positionsAt(client, account, count, [0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999]);
          const list = listParameters.parse({});
          return positions.map((position) => get(`/v1/video?cursor=${cursors.write(list, position)}`, account.key));
        };
        return [
          { server: service, requests: await walk(small, SMALL) },
          { server: service, requests: await walk(large, LARGE) },
        ];
      },
    },
  ];
}

/**
 * Alternating pairs after a warm-up of both; the median of their ratios. Then the slowest latencies at the same rate.
 */
async function measure(scenario: Scenario): Promise<void> {
  const sides = await scenario.sides();
  for (const side of sides) await run(side, DURATION_MS);
  const runs: [Run, Run][] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    runs.push([await run(sides[0], DURATION_MS), await run(sides[1], DURATION_MS)]);
  }
  const ratios = runs.map(([first, second]) => second.rate / first.rate);
  const ratio = median(ratios);
  const isMet = ratio >= scenario.target;
  missed ||= !isMet;
  const of = (value: (run: Run) => number, digits = 0): string =>
    ([0, 1] as const).map((side) => median(runs.map((pair) => value(pair[side]))).toFixed(digits)).join(' and ');
  const byProcessor = median(runs.map(([first, second]) => processorOf(first) / processorOf(second)));
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'} ${scenario.title}: ${ratio.toFixed(2)} (target ${scenario.target.toFixed(2)}; ` +
      `by processor time ${byProcessor.toFixed(2)}; ` +
      `${of((one) => one.rate)} requests/s; processor ${of((one) => one.ownMicroseconds)} µs each, ` +
      `the database's ${of((one) => one.databaseMicroseconds)}; median ${of((one) => one.p50Ms, 2)} ms, ` +
      `p99 ${of((one) => one.p99Ms, 1)} ms; pairs ${ratios.map((value) => value.toFixed(2)).join(' ')})`,
  );
  if (!scenario.isBesideBare) return;
  const bareRate = median(runs.map(([bare]) => bare.rate));
  const load = { bareRate, connections: CONNECTIONS, durationMs: DURATION_MS, pairs: PAIRS };
  if (!(await measureTails(driver, sides, load))) missed = true;
}

interface Run {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time per request: the server's, and its database's. */
  readonly ownMicroseconds: number;
  readonly databaseMicroseconds: number;
}

function processorOf({ ownMicroseconds, databaseMicroseconds }: Run): number {
  return ownMicroseconds + databaseMicroseconds;
}

async function run({ server, requests }: Side, durationMs: number): Promise<Run> {
  const used = () => [processorSeconds(server.pid), processorSeconds(postgres.pid())] as const;
  const before = used();
  const load = { port: server.port, connections: CONNECTIONS, durationMs, requests };
  const { requestsPerSecond: rate, p50Ms, p99Ms, statuses } = await driver.drive(load);
  const after = used();
  const failed = Object.keys(statuses).filter((status) => status !== '200');
  if (failed.length > 0) throw new Error(`${server.name} answered ${JSON.stringify(statuses)}`);
  const each = (nth: 0 | 1): number => ((after[nth] - before[nth]) / (statuses['200'] ?? 1)) * 1e6;
  return { rate, p50Ms, p99Ms, ownMicroseconds: each(0), databaseMicroseconds: each(1) };
}

function reportMemory(service: Server, baseline: Server): void {
  const memory = residentMb(service.pid);
  const isMet = memory.highest < MAX_RESIDENT_MB;
  missed ||= !isMet;
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'} memory of the API process: ${memory.highest} MB at most, ${memory.now} MB now ` +
      `(target below ${MAX_RESIDENT_MB}; baseline ${residentMb(baseline.pid).highest} MB)`,
  );
}

async function seedMany(client: pg.Client, count: number): Promise<SeededAccount[]> {
  const accounts: SeededAccount[] = [];
  for (let n = 0; n < count; n += 1) accounts.push(await seedAccount(client, 20));
  return accounts;
}
