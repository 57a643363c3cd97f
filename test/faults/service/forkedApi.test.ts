import { readdir, readFile } from 'node:fs/promises';

import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { generateKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { makeDataDir } from '../../support/dataDir.js';
import { ServiceProcess } from '../../support/service.js';

const PROCESSES = 3;
// Three processes start on two cores, and start again.
let folder: Awaited<ReturnType<typeof makeDataDir>>;
let database: TestDatabase;
let service: ServiceProcess | null = null;
let metricsPort: number;

beforeEach(async () => {
  folder = await makeDataDir();
  database = await createTestDatabase();
  metricsPort = await findFreePort();
});

afterEach(async () => {
  await service?.stop('SIGKILL');
  service = null;
  await folder?.remove();
  await database?.drop();
});

async function start(settings: Record<string, string> = {}): Promise<ServiceProcess> {
  service = ServiceProcess.start(['api'], {
    DATABASE_URL: database.runtimeUrl,
    DATA_DIR: folder.path,
    PORT: String(await findFreePort()),
    METRICS_PORT: String(metricsPort),
    WEB_CONCURRENCY: String(PROCESSES),
    ...settings,
  });
  return service;
}

/** The process ids of the service's children. */
async function forked(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map((pid) =>
      readFile(`/proc/${pid}/stat`, 'utf8').then(
        (stat) => stat.split(') ')[1]!.split(' ')[1],
        () => '',
      ),
    ),
  );
  return pids.filter((_, n) => parents[n] === String(service!.pid)).map(Number);
}

async function untilRunning(count = PROCESSES): Promise<void> {
  await service!.until(() => service!.output.split('"started"').length > count, `${count} processes have started`);
}

function request(): Promise<number> {
  // A new connection each time, so that each process gets some.
  return fetch(`${service!.url}/v1/video`, { headers: { connection: 'close' } }).then(({ status }) => status);
}

/** Requests counted by all processes together. */
async function counted(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const counts = text.matchAll(/^dhara_http_request_duration_seconds_count\{.*status="401".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

it('serves one port with several processes, and adds up their metrics', async () => {
  await start();
  await untilRunning();
  expect(await forked()).toHaveLength(PROCESSES);
  for (let n = 0; n < 60; n += 1) expect(await request()).toBe(401);
  await expect.poll(counted).toBe(60);
});

it('replaces a killed process, and responds meanwhile', async () => {
  await start();
  await untilRunning();
  for (let round = 1; round <= 2; round += 1) {
    const before = await forked();
    process.kill(before[0]!, 'SIGKILL');
    await untilRunning(PROCESSES + round);
    expect(await request()).toBe(401);
    const after = await forked();
    expect(after).toHaveLength(PROCESSES);
    expect(after).not.toContain(before[0]);
  }
});

it('stops all of them, and lets a request finish', async () => {
  await start();
  await untilRunning();
  const pids = await forked();
  const admin = new pg.Client({ connectionString: database.migrationUrl });
  await admin.connect();
  try {
    await admin.query('begin; lock table api_key in access exclusive mode');
    const held = fetch(`${service!.url}/v1/video`, { headers: { 'x-service-key': generateKey('live').text } });
    const WAITING = `select from pg_locks where relation = 'api_key'::regclass and not granted`;
    await expect.poll(async () => (await admin.query(WAITING)).rowCount).toBe(1);
    service!.child.kill('SIGTERM');
    // Each process also gets the signal, and then has five seconds: none may end before its request has.
    await admin.query('rollback');
    expect((await held).status).toBe(401);
  } finally {
    await admin.end();
  }
  expect(await service!.exit()).toBe(0);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

it('reports wrong settings once, and exits', async () => {
  await start({ DATABASE_URL: database.runtimeUrl.replace(/\/[^/]*$/, '/no_such_database') });
  expect(await service!.exit()).toBe(1);
  expect(
    service!.output
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('dhara: ')),
  ).toHaveLength(1);
});

it('needs its own database', async () => {
  await start({ DATABASE_URL: '' });
  expect(await service!.exit()).toBe(1);
  expect(service!.output).toBe(
    'dhara: WEB_CONCURRENCY: several processes need their own database. Set DATABASE_URL.\n',
  );
});
