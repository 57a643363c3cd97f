import { execFile } from 'node:child_process';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import pg from 'pg';
import { inject } from 'vitest';

import { findFreePort } from '../../src/db/embedded/port.js';
import { makeDataDir } from './dataDir.js';
import { ServiceProcess } from './service.js';

const run = promisify(execFile);
const LOCK = 'select pg_advisory_lock(hashtext($1))';

/**
 * A data directory after the service's first start, with the demo account and its clip: a copy of one made once per
 * run.
 */
export async function makeDemoDataDir(): Promise<Awaited<ReturnType<typeof makeDataDir>>> {
  const template = inject('demoTemplateDir');
  const client = new pg.Client({ connectionString: `${inject('testPostgres').superuserBaseUrl}postgres` });
  await client.connect();
  try {
    // Test files are separate processes. A database lock ends with the process that holds it.
    await client.query(LOCK, [template]);
    const isMade = await access(join(template, 'demo.json')).then(
      () => true,
      () => false,
    );
    if (!isMade) await makeTemplate(template);
  } finally {
    await client.end();
  }
  const folder = await makeDataDir();
  // Keeps file owners, since the database's files belong to another user.
  await run('cp', ['-a', '--reflink=auto', `${template}/.`, folder.path]);
  return folder;
}

async function makeTemplate(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  const service = ServiceProcess.start(['all'], { DATA_DIR: dir, PORT: String(await findFreePort()) });
  try {
    await service.demo();
  } finally {
    await service.stop();
  }
}
