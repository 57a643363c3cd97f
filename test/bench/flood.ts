/**
 * How much strangers slow down everybody else: lists at a steady rate with and without a flood of anonymous GraphQL
 * from 2, 8 and 32 connections, in turn. Exits with 1 if the flood takes too much of the service's processor time, or
 * if p95 of the lists during floods is too many times that of the others.
 *
 * The service soon answers only ten requests a second of one address, so a flood is measured from its first refusal on.
 * It takes so little then that p95 of a few seconds depends on what else runs on the machine. Therefore p95 is that of
 * all pairs together, and the processor time, which depends less on it, has its own target. Latencies count from
 * when a request was due.
 *
 * BENCH_FLOOD_RATE=50  BENCH_FLOOD_SECONDS=2  BENCH_FLOOD_PAIRS=8
 * BENCH_FLOOD_ALSO=1   shows other floods as well, without a target
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';
import { pino } from 'pino';

import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { findFreePort } from '../support/freePort.js';
import { migrate } from '../../src/db/migrate.js';
import { HOSTILE_OPERATIONS } from '../support/graphql/hostileOperations.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import type { Flood, FloodResult, REFUSED } from './floodAttack.js';
import { startService } from './processes.js';
import { processorSeconds } from './processorTime.js';
import { seedAccount } from './seed.js';
import type { SteadyLoad, SteadyResult } from './steadyLoad.js';

const PER_SECOND = Number(process.env['BENCH_FLOOD_RATE'] ?? 50);
const DURATION_MS = Number(process.env['BENCH_FLOOD_SECONDS'] ?? 2) * 1000;
const PAIRS = Number(process.env['BENCH_FLOOD_PAIRS'] ?? 8);
const MAX_RATIO = 3;
/** Of one processor, beyond what the lists take. */
const MAX_SHARE = 0.1;
const WARM_UP_MS = 3_000;
/** A flood counts from its first refusal, or from this long after its start: some floods are never refused. */
const SETTLE_WITHIN_MS = 10_000;

const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const ask = (query: string): string => post('/graphql', JSON.stringify({ query }));

const times = (count: number, text: string): string => text.repeat(count);
const GRAPHQL_FLOOD = [
  ...HOSTILE_OPERATIONS.map(({ query }) => ask(query)),
  ask(`{ ${times(45, 'viewer { id } ')} }`),
  ask(`{ priceList { ${times(48, 'storageCreditsPerGbMonth ')} processing { ${times(45, 'quality ')} } } }`),
  ask(`{ ${times(190, 'unknown ')} }`),
  post('/graphql', '['.repeat(15_000)),
];
const OTHER_FLOODS: Readonly<Record<string, readonly string[]>> = {
  'sign-ins': [post('/api/auth/sign-in/email', '{"email":"a@example.com","password":"a password that is wrong"}')],
  'forged manifest tokens': [`GET /v1/video/playback/manifest/${forgedToken()} HTTP/1.1\r\nHost: x\r\n\r\n`],
  'lists without a key': ['GET /v1/video HTTP/1.1\r\nHost: x\r\n\r\n'],
  'pages of the dashboard': ['GET /videos HTTP/1.1\r\nHost: x\r\n\r\n'],
  'the OpenAPI document': ['GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'],
  webhooks: [post('/webhooks/stripe', `{"a":"${'x'.repeat(60_000)}"}`)],
};

interface Observed {
  readonly latenciesMs: readonly number[];
  /** Of the service. */
  readonly processorSeconds: number;
}

const dataDir = (await makeDataDir('dhara-bench-flood-')).path;
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
const load = (file: string) => fork(new URL(file, import.meta.url).pathname, [], { execArgv: ['--import', 'tsx'] });
const driver = load('./steadyLoad.ts');
let stopService = (): Promise<void> => Promise.resolve();
try {
  await migrate(postgres);
  const client = new pg.Client({ connectionString: postgres.migrationUrl });
  await client.connect();
  const account = await seedAccount(client, 1_000);
  await client.end();
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const masterKey = randomBytes(32);
  const service = await startService({ ...postgres, poolSize: 10, masterKey, dataDir, port, publicUrl });
  stopService = () => service.stop();

  const list = { path: '/v1/video', headers: { 'x-service-key': account.key } };
  const observe = async (durationMs: number): Promise<Observed> => {
    const before = processorSeconds(service.pid);
    const answers = once(driver, 'message') as Promise<[SteadyResult]>;
    driver.send({ port, perSecond: PER_SECOND, durationMs, requests: [list] } satisfies SteadyLoad);
    const [{ latenciesMs, statuses }] = await answers;
    if (statuses['200'] !== latenciesMs.length) throw new Error(`answered ${JSON.stringify(statuses)}`);
    return { latenciesMs, processorSeconds: processorSeconds(service.pid) - before };
  };
  await observe(WARM_UP_MS);

  const measure = async (name: string, connections: number, requests: readonly string[], hasTargets: boolean) => {
    const calm: Observed[] = [];
    const flooded: Observed[] = [];
    let last: FloodResult | undefined;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      calm.push(await observe(DURATION_MS));
      const attackers = load('./floodAttack.ts');
      const refused = once(attackers, 'message') as Promise<[typeof REFUSED]>;
      attackers.send({ port, connections, requests } satisfies Flood);
      await Promise.race([refused, delay(SETTLE_WITHIN_MS)]);
      flooded.push(await observe(DURATION_MS));
      last = await stopped(attackers);
    }
    const [calmMs, floodedMs] = [p95(calm), p95(flooded)];
    const ratio = floodedMs / calmMs;
    const share = ((sumOf(flooded) - sumOf(calm)) / PAIRS / DURATION_MS) * 1000;
    const isMet = !hasTargets || (ratio <= MAX_RATIO && share <= MAX_SHARE);
    if (!isMet) process.exitCode = 1;
    const verdict = !hasTargets ? 'shown ' : isMet ? 'ok    ' : 'MISSED';
    const aims = hasTargets ? [`; target at most ${100 * MAX_SHARE} %`, `target at most ${MAX_RATIO}; `] : ['', ''];
    console.log(
      `${verdict} ${name} from ${connections} connections: ${(100 * share).toFixed(1)} % of a processor${aims[0]}; ` +
        `others’ p95 ${ratio.toFixed(2)} × (${aims[1]}${calmMs.toFixed(1)} and ${floodedMs.toFixed(1)} ms; ` +
        `last ${last?.answered} answers ${JSON.stringify(last?.statuses)})`,
    );
  };
  for (const connections of [2, 8, 32]) await measure('anonymous GraphQL', connections, GRAPHQL_FLOOD, true);
  if (process.env['BENCH_FLOOD_ALSO']) {
    for (const [name, requests] of Object.entries(OTHER_FLOODS)) await measure(name, 32, requests, false);
  }
} finally {
  driver.disconnect();
  await stopService();
  await postgres.stop();
  await removeDataDir(dataDir);
}

/** Once it has ended, so that its processor is free again. */
async function stopped(attackers: ChildProcess): Promise<FloodResult> {
  const ended = once(attackers, 'exit');
  const { promise, resolve } = Promise.withResolvers<FloodResult>();
  attackers.on('message', (said: FloodResult | typeof REFUSED) => {
    if (typeof said === 'object') resolve(said);
  });
  attackers.send('stop');
  const result = await promise;
  await ended;
  return result;
}

function p95(observed: readonly Observed[]): number {
  const sorted = observed.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}

function sumOf(observed: readonly Observed[]): number {
  return observed.reduce((sum, one) => sum + one.processorSeconds, 0);
}

/** Valid except for its signature. */
function forgedToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const nowS = Math.floor(Date.now() / 1000);
  const claims = { iss: 'http://127.0.0.1', aud: 'playback', sub: 'vid_1', jti: '1', iat: nowS, exp: nowS + 300 };
  return `${part({ alg: 'EdDSA', typ: 'JWT', kid: 'x' })}.${part(claims)}.${randomBytes(64).toString('base64url')}`;
}
