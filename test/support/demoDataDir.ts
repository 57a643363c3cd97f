import { execFile } from 'node:child_process';
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import pg from 'pg';
import { inject } from 'vitest';

import { findFreePort } from './freePort.js';
import { fastestFolder, makeDataDir } from './dataDir.js';
import { ServiceProcess } from './service.js';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const LOCK = 'select pg_advisory_lock(hashtext($1))';

/** Where a run leaves its template to the next, as `npm test` does to the rest of `test:all`: it takes half a minute. */
const KEPT = join(ROOT, 'node_modules/.cache/dhara/demo');
/** An old account would be another case. */
const KEPT_FOR_MS = 3_600_000;

/**
 * A data directory after the service's first start, with the demo account and its clip: a copy of one made once per
 * run, or by an earlier run of the same build.
 */
export async function makeDemoDataDir(): Promise<Awaited<ReturnType<typeof makeDataDir>>> {
  const template = inject('demoTemplateDir');
  const client = new pg.Client({ connectionString: `${inject('testPostgres').superuserBaseUrl}postgres` });
  await client.connect();
  try {
    // Test files are separate processes. A database lock ends with the process that holds it.
    await client.query(LOCK, [template]);
    if (!(await exists(join(template, 'demo.json')))) await makeTemplate(template);
  } finally {
    await client.end();
  }
  const folder = await makeDataDir('dhara-service-', await fastestFolder());
  await copy(template, folder.path);
  return folder;
}

async function makeTemplate(dir: string): Promise<void> {
  const build = await readFile(join(ROOT, 'dist/.server-stamp'), 'utf8');
  const kept = await findKept(build);
  if (kept !== undefined) {
    await mkdir(dir, { recursive: true, mode: 0o755 });
    await copy(kept, dir);
    return;
  }
  await rm(dir, { recursive: true, force: true });
  const service = ServiceProcess.start(['all'], { DATA_DIR: dir, PORT: String(await findFreePort()) });
  try {
    await service.demo();
  } finally {
    await service.stop();
  }
  await keep(dir, build);
}

/** Kept folders are named after their build and when they were made. */
async function findKept(build: string): Promise<string | undefined> {
  const names = await readdir(KEPT).catch(() => []);
  const name = names.find((one) => one.startsWith(`${build}-`) && ageMs(one) < KEPT_FOR_MS);
  return name && join(KEPT, name);
}

/** Removes only what no other run in this clone can be reading. */
async function keep(dir: string, build: string): Promise<void> {
  await mkdir(KEPT, { recursive: true });
  for (const name of await readdir(KEPT)) {
    if (name.startsWith(build) && ageMs(name) < 2 * KEPT_FOR_MS) continue;
    await rm(join(KEPT, name), { recursive: true, force: true });
  }
  const name = `${build}-${Date.now()}`;
  const copied = join(KEPT, `${build}.${process.pid}-${Date.now()}`);
  await mkdir(copied);
  await copy(dir, copied);
  // The name appears with all of its files.
  await rename(copied, join(KEPT, name));
}

function ageMs(name: string): number {
  return Date.now() - Number(name.slice(name.lastIndexOf('-') + 1));
}

/** Keeps file owners, since the database's files belong to another user. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', '--reflink=auto', `${from}/.`, to]);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
