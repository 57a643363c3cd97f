import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { makeDataDir } from '../../support/dataDir.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ServiceProcess } from '../../support/service.js';

const MASTER_KEY = randomBytes(32).toString('base64');

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof makeDataDir>>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeDataDir();
});

afterAll(async () => {
  await folder?.remove();
  await database?.drop();
});

async function api(settings: Record<string, string>): Promise<ServiceProcess> {
  return ServiceProcess.start(['api'], {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://video.example',
    TRUST_PROXY: '1',
    DATABASE_URL: database.runtimeUrl,
    MASTER_KEY,
    SMTP_URL: 'smtp://127.0.0.1:1',
    DATA_DIR: folder.path,
    PORT: String(await findFreePort()),
    ...settings,
  });
}

async function refusal(settings: Record<string, string>): Promise<string> {
  const service = await api(settings);
  expect(await service.exit()).toBe(1);
  const lines = service.output.trim().split('\n');
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

it('production refuses to run as the owner of its tables, and names the role and the SQL', async () => {
  const line = await refusal({ DATABASE_URL: database.migrationUrl });
  expect(line).toMatch(
    /^dhara: DATABASE_URL: role \w+\. The role has the rights of \w+, who owns it\. To fix it: create role dhara_app .*$/,
  );
});

it('metrics have their own port if it is set, and are nowhere else', async () => {
  const port = await findFreePort();
  const service = await api({ METRICS_PORT: String(port) });
  try {
    await service.ready();
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toMatch(
      /^dhara_http_request_duration_seconds_count\{method="GET",route="\/readyz",status="200"\} \d+$/m,
    );
    expect((await fetch(`http://127.0.0.1:${port}/v1/video`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(404);
    expect(await (await fetch(`${service.url}/metrics`)).text()).not.toContain('process_cpu');
  } finally {
    expect(await service.stop(), service.output).toBe(0);
  }
});

it('a second process on one machine learns that METRICS_PORT is taken, and gets a free one with 0', async () => {
  const first = await api({ METRICS_PORT: '0' });
  try {
    await first.ready();
    const [, port] = /"port":(\d+),"msg":"metrics are at/.exec(first.output) ?? [];
    expect(await refusal({ METRICS_PORT: port! })).toMatch(
      new RegExp(`^dhara: METRICS_PORT: 127.0.0.1:${port} is taken by another process; .* 0 for a free one.*$`, 'v'),
    );
    const ownPort = new URL(first.url).port;
    const taken = await refusal({ PORT: ownPort });
    expect(taken).toMatch(new RegExp(`^dhara: PORT: 127.0.0.1:${ownPort} is taken by another process; .*$`, 'v'));
    const second = await api({ METRICS_PORT: '0' });
    await second.ready();
    expect(await second.stop(), second.output).toBe(0);
  } finally {
    expect(await first.stop(), first.output).toBe(0);
  }
});

it('a public service without NODE_ENV=production is refused before it opens anything', async () => {
  expect(await refusal({ NODE_ENV: '' })).toMatch(/^dhara: NODE_ENV: .*NODE_ENV=production.*sandbox payments.*$/);
});

it('production requires the number of proxies in front of it', async () => {
  expect(await refusal({ TRUST_PROXY: '' })).toMatch(/^dhara: TRUST_PROXY: not set.*TRUST_PROXY=1.*X-Forwarded-For.*$/);
});

it('production starts as a role that owns nothing, and offers no development features', async () => {
  const service = await api({});
  try {
    await service.ready();
    const introspection = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ __schema { queryType { name } } }' }),
    });
    expect(await introspection.text()).not.toContain('queryType');
    const play = await fetch(`${service.url}/sandbox/pay/x`, { headers: { accept: 'application/json' } });
    expect(await play.text()).not.toContain('Pay');
    expect(service.output).not.toContain('password');
    expect(await (await fetch(`${service.url}/metrics`)).text()).not.toContain('process_cpu');
    expect(service.output).not.toContain('metrics are at');
  } finally {
    expect(await service.stop(), service.output).toBe(0);
  }
});
