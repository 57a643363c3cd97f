import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { findFreePort } from '../../../src/db/embedded/port.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { makeDataDir } from '../../support/dataDir.js';
import { ServiceProcess } from '../../support/service.js';

const PROCESSES = 3;

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

/** The processes that the service has forked. */
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
  // A connection of its own, so that each process gets some.
  return fetch(`${service!.url}/v1/video`, { headers: { connection: 'close' } }).then(({ status }) => status);
}

/** Requests that all processes together have counted. */
async function counted(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const counts = text.matchAll(/^dhara_http_request_duration_seconds_count\{.*status="401".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

it('serves one port with several processes, and adds up what they measure', async () => {
  await start();
  await untilRunning();
  expect(await forked()).toHaveLength(PROCESSES);
  for (let n = 0; n < 60; n += 1) expect(await request()).toBe(401);
  await expect.poll(counted).toBe(60);
});

it('replaces a process that is killed, and answers meanwhile', async () => {
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
  const { port } = new URL(service!.url);
  const socket = connect(Number(port), 'localhost').setEncoding('utf8');
  let answer = '';
  socket.on('data', (text: string) => (answer += text));
  // Half a body: the request is under way.
  socket.write(
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{"query":',
  );
  await request();
  service!.child.kill('SIGTERM');
  // Nobody listens any more.
  await expect.poll(() => request().catch(() => null)).toBe(null);
  socket.write('"{ viewer { id } }"            }');
  expect(await service!.exit()).toBe(0);
  expect(answer).toMatch(/^HTTP\/1\.1 [24]\d\d /);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

it('says once what is wrong with its settings, and ends', async () => {
  await start({ DATABASE_URL: database.runtimeUrl.replace(/\/[^/]*$/, '/no_such_database') });
  expect(await service!.exit()).toBe(1);
  expect(
    service!.output
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('dhara: ')),
  ).toHaveLength(1);
});

it('needs a database of its own', async () => {
  await start({ DATABASE_URL: '' });
  expect(await service!.exit()).toBe(1);
  expect(service!.output).toBe(
    'dhara: WEB_CONCURRENCY: several processes need a database of their own. Set DATABASE_URL.\n',
  );
});
