/**
 * Delivery to viewers: the service beside nginx from Debian (sendfile, an access log, as many processes) and beside a bare
 * Node handler with the bytes in memory, under the same load in turn. Prints ratios, and what each side took of a
 * processor; exits with 1 if a ratio misses its target.
 *
 * BENCH_ONLY=hotLarge,master  runs these alone      BENCH_PAIRS=5  BENCH_SECONDS=3
 * BENCH_NGINX_WORKERS=auto  gives nginx a process per core, and the service one
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';
import { pino } from 'pino';

import { startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { findFreePort } from '../support/freePort.js';
import { migrate } from '../../src/db/migrate.js';
import { measureTails, median } from './tails.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import { proxyConfiguration, startNginx } from '../support/nginx.js';
import { processorSeconds } from './processorTime.js';
import { LoadDriver, residentMb, type Server, startBareFiles, startService } from './processes.js';
import { seedAccount } from './seed.js';
import { segmentName, seedStream } from './stream.js';

const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 5);
const DURATION_MS = Number(process.env['BENCH_SECONDS'] ?? 3) * 1000;
const ONLY = process.env['BENCH_ONLY']?.split(',');
const CONNECTIONS = 32;
/** Ten times what the service caches, requested in turn. */
const COLD = { large: 400, small: 5_000 };
const MAX_RESIDENT_MB = 320;

interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly target: number;
  readonly beside: Server;
  /** Paths below each side's own base, and headers. */
  readonly files: readonly string[];
  readonly bases: readonly [string, string];
  readonly headers?: string;
  readonly status?: string;
  /** The service's side. Default: the service itself. */
  readonly server?: Server;
}

const dataDir = (await makeDataDir('dhara-bench-')).path;
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'warn' }) });
const driver = new LoadDriver();
const running: Server[] = [];
let missed = false;
try {
  await migrate(postgres);
  const client = new pg.Client({ connectionString: postgres.migrationUrl });
  await client.connect();
  const masterKey = randomBytes(32);
  const port = await findFreePort();
  const account = await seedAccount(client, 1);
  const video = await seedStream(client, account, { dataDir, masterKey, count: COLD });
  await client.end();
  const service = await startService({
    ...postgres,
    poolSize: 10,
    publicUrl: `http://127.0.0.1:${port}`,
    masterKey,
    dataDir,
    port,
  });
  const objectsDir = join(dataDir, 'store/objects');
  const workers = process.env['BENCH_NGINX_WORKERS'] === 'auto' ? 'auto' : 1;
  const plain = await startNginx(
    join(dataDir, 'nginx'),
    (at) => `sendfile on; tcp_nopush on; server { listen 127.0.0.1:${at}; location / { root ${objectsDir}; } }`,
    { workers },
  );
  const nginx: Server = { name: 'nginx', ...plain };
  const behindPort = await findFreePort();
  const behind = await startService({
    ...postgres,
    poolSize: 10,
    publicUrl: `http://127.0.0.1:${port}`,
    masterKey,
    dataDir,
    port: behindPort,
    settings: { SEGMENT_DELIVERY: 'accel', TRUST_PROXY: '1' },
  });
  const front = await startNginx(join(dataDir, 'front'), (at) => proxyConfiguration(behindPort, objectsDir, at), {
    workers,
  });
  const accelerated: Server = { name: 'nginx in front', ...front };
  const master = await (await fetch(`http://127.0.0.1:${port}${video.base}/master.m3u8`)).text();
  const masterFile = join(dataDir, 'master.m3u8');
  await writeFile(masterFile, master);
  const index = `/${video.folder}/480p/index.m3u8`;
  const bare = await startBareFiles([
    { path: index, file: join(objectsDir, index) },
    { path: '/master.m3u8', file: masterFile },
  ]);
  running.push(bare, nginx, accelerated, behind, service);

  const names = (kind: 1 | 2, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `/${segmentName(n, kind)}`);
  const segments = { beside: nginx, bases: [`/${video.folder}`, `${video.base}/1-1`] } as const;
  const texts = { beside: bare, bases: [`/${video.folder}`, `${video.base}/1-1`] } as const;
  const scenarios: Scenario[] = [
    { name: 'hotLarge', title: 'a segment of 1.7 MB, hot', target: 1, ...segments, files: names(1, 1) },
    { name: 'hotSmall', title: 'a segment of 128 KB, hot', target: 0.5, ...segments, files: names(2, 1) },
    {
      name: 'ranges',
      title: '64 KB of a segment of 1.7 MB, hot',
      target: 0.5,
      ...segments,
      files: names(1, 1),
      headers: 'Range: bytes=100000-165535\r\n',
      status: '206',
    },
    {
      name: 'coldLarge',
      title: '400 segments of 1.7 MB in turn',
      target: 0.5,
      ...segments,
      files: names(1, COLD.large),
    },
    {
      name: 'coldSmall',
      title: '5,000 segments of 128 KB in turn',
      target: 0.25,
      ...segments,
      files: names(2, COLD.small),
    },
    {
      name: 'accel',
      title: 'a segment of 1.7 MB that nginx sends for the service',
      target: 0.9,
      ...segments,
      files: names(1, 1),
      server: accelerated,
    },
    { name: 'media', title: 'a media playlist of an hour', target: 0.5, ...texts, files: ['/480p/index.m3u8'] },
    {
      name: 'master',
      title: 'a master playlist',
      target: 0.5,
      beside: bare,
      bases: ['', video.base],
      files: ['/master.m3u8'],
    },
  ];
  for (const scenario of scenarios)
    if (!ONLY || ONLY.includes(scenario.name)) await measure(scenario, scenario.server ?? service);
  const memory = residentMb(service.pid);
  missed ||= memory.highest >= MAX_RESIDENT_MB;
  console.log(
    `${memory.highest < MAX_RESIDENT_MB ? 'ok    ' : 'MISSED'} memory of the API process: ${memory.highest} MB at most, ` +
      `${memory.now} MB now (target below ${MAX_RESIDENT_MB})`,
  );
} finally {
  driver.stop();
  for (const server of running) await server.stop();
  await postgres.stop();
  await removeDataDir(dataDir);
}
if (missed) process.exitCode = 1;

/** Alternating pairs after a warm-up of both; the median of their ratios. */
async function measure(
  { title, target, beside, files, bases, headers, status }: Scenario,
  service: Server,
): Promise<void> {
  const sides = [beside, service].map((server, nth) => ({
    server,
    requests: files.map((file) => `GET ${bases[nth]}${file} HTTP/1.1\r\nHost: bench\r\n${headers ?? ''}\r\n`),
  }));
  const runs: { rate: number; p99Ms: number; microseconds: number }[][] = [];
  for (let pair = -1; pair < PAIRS; pair += 1) {
    const both = [];
    for (const { server, requests } of sides) {
      const before = processorSeconds(server.pid);
      const load = { port: server.port, connections: CONNECTIONS, durationMs: DURATION_MS, requests };
      const { requestsPerSecond: rate, p99Ms, statuses } = await driver.drive(load);
      const others = Object.keys(statuses).filter((one) => one !== (status ?? '200'));
      if (others.length > 0) throw new Error(`${server.name} answered ${JSON.stringify(statuses)}`);
      const count = Object.values(statuses).reduce((sum, one) => sum + one, 0);
      both.push({ rate, p99Ms, microseconds: ((processorSeconds(server.pid) - before) / count) * 1e6 });
    }
    if (pair >= 0) runs.push(both);
  }
  const of = (side: 0 | 1, value: (run: (typeof runs)[number][number]) => number): number =>
    median(runs.map((both) => value(both[side]!)));
  const ratios = runs.map(([first, second]) => second!.rate / first!.rate);
  const ratio = median(ratios);
  const isMet = ratio >= target;
  missed ||= !isMet;
  const both = (value: (run: (typeof runs)[number][number]) => number, digits = 0): string =>
    `${of(0, value).toFixed(digits)} and ${of(1, value).toFixed(digits)}`;
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'} ${title}, beside ${beside.name}: ${ratio.toFixed(2)} (target ${target.toFixed(2)}; ` +
      `${both((run) => run.rate)} requests/s; processor ${both((run) => run.microseconds)} µs each; ` +
      `p99 ${both((run) => run.p99Ms, 1)} ms; pairs ${ratios.map((value) => value.toFixed(2)).join(' ')})`,
  );
  if (beside.name !== 'bare Node') return;
  const load = { bareRate: of(0, (run) => run.rate), connections: CONNECTIONS, durationMs: DURATION_MS, pairs: PAIRS };
  if (!(await measureTails(driver, sides as [(typeof sides)[number], (typeof sides)[number]], load))) missed = true;
}
