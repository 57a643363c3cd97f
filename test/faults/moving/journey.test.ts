import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { makeDataDir } from '../../support/dataDir.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { LONG_WAIT_MS } from '../../support/deadlines.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { type Demo, ServiceProcess } from '../../support/service.js';
import { dhara } from '../../support/terminal.js';
import { query } from '../../support/database/query.js';

const ROOT = join(import.meta.dirname, '../../..');

/** Two services: the old one runs in one process with its own database, the new one has a PostgreSQL of its own. */
let old: ServiceProcess;
let demo: Demo;
let oldSettings: Record<string, string>;
let database: TestDatabase;
let settings: Record<string, string>;
let accountId: string;
let key: string;
let archive: string;
const cleanUp = new AsyncDisposableStack();

beforeAll(async () => {
  const folder = await makeDemoDataDir();
  cleanUp.defer(() => folder.remove());
  const target = await makeDataDir();
  cleanUp.defer(() => target.remove());
  database = await createTestDatabase();
  cleanUp.defer(() => database.drop());
  old = ServiceProcess.start(['all'], { DATA_DIR: folder.path, PORT: String(await findFreePort()) });
  cleanUp.defer(async () => void (await old.stop()));
  demo = await old.demo();
  oldSettings = { DATA_DIR: folder.path, PUBLIC_URL: demo.url };
  settings = {
    DATA_DIR: target.path,
    DATABASE_URL: database.runtimeUrl,
    DATABASE_MIGRATION_URL: database.migrationUrl,
    NODE_ENV: 'development',
    PORT: String(await findFreePort()),
  };
  accountId = await accountOf(folder.path, demo.email);
  key = (await dhara(['export', '--show-key'], oldSettings)).out.trim();
  archive = join(target.path, 'owner.tar');
}, LONG_WAIT_MS);

afterAll(() => cleanUp.disposeAsync());

describe('an account that moves between two services', () => {
  it('is written to a file while the service runs', async () => {
    const ended = await dhara(['export', '--account', accountId, '--to', archive], oldSettings);
    expect(ended).toMatchObject({ code: 0, out: '' });
    expect(ended.err).toContain(`--key ${key}`);
    expect((await stat(archive)).mode & 0o777).toBe(0o600);
    expect(await readdir(settings['DATA_DIR']!)).not.toContain('owner.tar.part');
  });

  it('arrives after an import that was killed half-way, from a pipe', async () => {
    const bytes = await readFile(archive);
    const killed = start(['import', '--from', '-', '--key', key], settings);
    killed.stdin!.on('error', () => undefined);
    killed.stdin!.write(bytes.subarray(0, Math.floor(bytes.length * 0.9)));
    const objects = join(settings['DATA_DIR']!, 'store/objects/videos', accountId);
    await expect.poll(() => readdir(objects).catch(() => []), { timeout: LONG_WAIT_MS }).not.toEqual([]);
    killed.kill('SIGKILL');
    await once(killed, 'close');
    expect(await countOf('account')).toBe(0);

    const exporting = start(['export', '--account', accountId, '--to', '-'], oldSettings);
    const importing = start(['import', '--from', '-', '--key', key], settings);
    exporting.stdout!.pipe(importing.stdin!);
    const said = await outputOf(importing);
    expect(said).toMatchObject({ code: 0 });
    expect(said.err).toMatch(/has arrived/);
    expect(said.err).toMatch(/of the files were there from an earlier try/);
    // Rows of the killed try were on the disk, too.
    expect(await readdir(join(settings['DATA_DIR']!, 'moving'))).toEqual([]);
    expect((await dhara(['ledger', 'verify'], settings)).out).toContain('The ledger is correct');
  });

  it('answers the same key with the same bytes, but for the host', async () => {
    const service = ServiceProcess.start(['api'], {
      ...settings,
      DATA_DIR: settings['DATA_DIR']!,
      PORT: settings['PORT']!,
    });
    try {
      await service.ready();
      for (const path of ['/v1/video', `/v1/video/${demo.videoId}`]) {
        const [before, after] = await Promise.all([ask(demo.url, path), ask(service.url, path)]);
        expect(before.status).toBe(200);
        expect(before.body).toContain(demo.videoId);
        expect({ ...after, body: after.body.replaceAll(service.url, demo.url) }).toEqual(before);
      }
      const [before, after] = await Promise.all([streamOf(demo.url), streamOf(service.url)]);
      expect(Object.keys(before).filter((path) => path.endsWith('.m4s')).length).toBeGreaterThan(10);
      expect(after).toEqual(before);
    } finally {
      await service.stop();
    }
  });

  it('is refused a second time', async () => {
    const ended = await dhara(['import', '--from', archive, '--key', key], settings);
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain(`The account ${accountId} exists here already.`);
    expect(await countOf('account_import')).toBe(1);
  });
});

async function accountOf(dataDir: string, email: string): Promise<string> {
  const { runtimeUrl } = JSON.parse(await readFile(join(dataDir, 'run/database.json'), 'utf8')) as {
    runtimeUrl: string;
  };
  const [user] = await query<{ id: string }>(runtimeUrl, 'select id from auth."user" where email = $1', [email]);
  return user!.id;
}

async function countOf(table: string): Promise<number> {
  const [row] = await query<{ n: number }>(database.migrationUrl, `select count(*)::integer as n from ${table}`);
  return row!.n;
}

function start(args: readonly string[], env: Record<string, string>): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return spawn(process.execPath, ['dist/main.js', ...args], {
    cwd: ROOT,
    env: { PATH, NODE_COMPILE_CACHE, NODE_ENV: 'development', LOG_LEVEL: 'silent', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function outputOf(child: ChildProcess): Promise<{ code: number | null; err: string }> {
  let err = '';
  child.stderr!.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, err };
}

async function ask(url: string, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(url + path, { headers: { 'x-service-key': demo.apiKey } });
  return { status: response.status, body: await response.text() };
}

/** Everything that a player fetches with a new token, by its path below the grant. */
async function streamOf(url: string): Promise<Record<string, string>> {
  const minted = await fetch(`${url}/v1/video/${demo.videoId}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': demo.apiKey },
  });
  const { data: token } = (await minted.json()) as { data: { manifestUrl: string } };
  const { data: manifest } = (await (await fetch(token.manifestUrl)).json()) as { data: { url: string } };
  const base = manifest.url.slice(0, manifest.url.lastIndexOf('/') + 1);
  const found: Record<string, string> = {};
  const wanted = [manifest.url];
  for (let address = wanted.pop(); address !== undefined; address = wanted.pop()) {
    const path = address.slice(base.length);
    if (path in found) continue;
    const response = await fetch(address);
    expect(response.status, path).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    found[path] = bytes.toString('base64');
    if (!path.endsWith('.m3u8')) continue;
    const names = [...bytes.toString().matchAll(/^(?:[^#\n].*|.*URI="([^"]+)".*)$/gm)].map(
      ([line, uri]) => uri ?? line,
    );
    wanted.push(...names.map((name) => new URL(name, address).href));
  }
  return found;
}
