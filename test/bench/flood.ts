/**
 * How much strangers slow down everybody else: lists at a steady rate with and without a flood of anonymous GraphQL
 * from 2, 8 and 32 connections, in turn. Latencies count from when a request was due. Exits with 1 if the median of the
 * ratios of p95 is above its target.
 *
 * BENCH_FLOOD_RATE=50  BENCH_FLOOD_SECONDS=5  BENCH_FLOOD_PAIRS=3
 * BENCH_FLOOD_ALSO=1   shows other floods as well, without a target
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';

import pg from 'pg';
import { pino } from 'pino';

import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { findFreePort } from '../../src/db/embedded/port.js';
import { migrate } from '../../src/db/migrate.js';
import { HOSTILE_OPERATIONS } from '../support/graphql/hostileOperations.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import type { Flood, FloodResult } from './floodAttack.js';
import { startService } from './processes.js';
import { seedAccount } from './seed.js';
import type { SteadyLoad, SteadyResult } from './steadyLoad.js';

const PER_SECOND = Number(process.env['BENCH_FLOOD_RATE'] ?? 50);
const DURATION_MS = Number(process.env['BENCH_FLOOD_SECONDS'] ?? 5) * 1000;
const PAIRS = Number(process.env['BENCH_FLOOD_PAIRS'] ?? 3);
const MAX_RATIO = 3;
const WARM_UP_MS = 3_000;
/** After this, a flood has used up the burst of its address's rate budget. */
const SETTLE_MS = 1_000;

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
  const p95 = async (durationMs: number): Promise<number> => {
    const answers = once(driver, 'message') as Promise<[SteadyResult]>;
    driver.send({ port, perSecond: PER_SECOND, durationMs, requests: [list] } satisfies SteadyLoad);
    const [{ latenciesMs, statuses }] = await answers;
    if (statuses['200'] !== latenciesMs.length) throw new Error(`answered ${JSON.stringify(statuses)}`);
    return latenciesMs.toSorted((a, b) => a - b)[Math.floor(latenciesMs.length * 0.95)] ?? 0;
  };
  await p95(WARM_UP_MS);

  const measure = async (name: string, connections: number, requests: readonly string[], target?: number) => {
    const ratios: number[] = [];
    let shown = '';
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const calmMs = await p95(DURATION_MS);
      const attackers = load('./floodAttack.ts');
      attackers.send({ port, connections, requests } satisfies Flood);
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const floodedMs = await p95(DURATION_MS);
      const { answered, statuses } = await stopped(attackers);
      ratios.push(floodedMs / calmMs);
      shown = `last p95 ${calmMs.toFixed(1)} and ${floodedMs.toFixed(1)} ms; ${answered} answers ${JSON.stringify(statuses)}`;
    }
    const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(PAIRS / 2)] ?? 0;
    const isMet = target === undefined || ratio <= target;
    if (!isMet) process.exitCode = 1;
    const verdict = target === undefined ? 'shown ' : isMet ? 'ok    ' : 'MISSED';
    const aim = target === undefined ? '' : `target at most ${target}; `;
    console.log(
      `${verdict} others’ p95 under ${name} from ${connections} connections: ${ratio.toFixed(2)} × ` +
        `(${aim}${shown}; pairs ${ratios.map((value) => value.toFixed(2)).join(' ')})`,
    );
  };
  for (const connections of [2, 8, 32]) await measure('anonymous GraphQL', connections, GRAPHQL_FLOOD, MAX_RATIO);
  if (process.env['BENCH_FLOOD_ALSO']) {
    for (const [name, requests] of Object.entries(OTHER_FLOODS)) await measure(name, 32, requests);
  }
} finally {
  driver.disconnect();
  await stopService();
  await postgres.stop();
  await removeDataDir(dataDir);
}

async function stopped(attackers: ChildProcess): Promise<FloodResult> {
  const said = once(attackers, 'message') as Promise<[FloodResult]>;
  attackers.send('stop');
  const [result] = await said;
  return result;
}

/** Valid except for its signature. */
function forgedToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const nowS = Math.floor(Date.now() / 1000);
  const claims = { iss: 'http://127.0.0.1', aud: 'playback', sub: 'vid_1', jti: '1', iat: nowS, exp: nowS + 300 };
  return `${part({ alg: 'EdDSA', typ: 'JWT', kid: 'x' })}.${part(claims)}.${randomBytes(64).toString('base64url')}`;
}
