import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { pino } from 'pino';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/index.js';
import { OWNER_ROLE } from '../../src/db/embedded/cluster.js';
import { CLOSE_DATABASE } from '../../src/db/embedded/roles.js';
import { migrate } from '../../src/db/migrate.js';
import { fastestFolder, makeDataDir, removeDataDir } from './dataDir.js';
import { query } from './database/query.js';
import { GIVEN_SETUP } from './givenSetup.js';

/** How the tests reach the PostgreSQL of this run, in which `database.ts` creates databases. */
export interface TestPostgres {
  /** The superuser's address, without a database: append its name. */
  readonly superuserBaseUrl: string;
  /** The owner's address, without a database: append its name. */
  readonly migrationBaseUrl: string;
  /** The runtime role's address, without a database: append its name. */
  readonly runtimeBaseUrl: string;
  /** A migrated database without connections, to be cloned. */
  readonly templateDatabase: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    testPostgres: TestPostgres;
    /** The folder that `demoDataDir.ts` copies. */
    demoTemplateDir: string;
  }
}

const run = promisify(execFile);
const TEMPLATE_DATABASE = 'dhara_template';

/** The parts of a vitest project that the set-up needs. */
type Given = Pick<TestProject, 'provide'> & { readonly config: { readonly root: string } } & Partial<
    Pick<TestProject, 'vitest'>
  >;

/**
 * Builds the server, and starts one PostgreSQL for the whole run in its own directory, with a migrated template
 * database. Unit tests need neither.
 */
export default async function setup(project: Given): Promise<() => Promise<void>> {
  // Each test file and each service is a process that loads the same packages, so compile them once.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'dhara-test-compiled');
  const given = process.env[GIVEN_SETUP];
  if (given !== undefined) {
    const { demoTemplateDir, testPostgres } = JSON.parse(given) as ProvidedContext;
    project.provide('demoTemplateDir', demoTemplateDir);
    project.provide('testPostgres', testPostgres);
    return () => Promise.resolve();
  }
  if (project.vitest?.projects.every(({ name }) => name === 'unit')) return () => Promise.resolve();
  await run(process.execPath, ['src/setup/build.mjs', 'server'], { cwd: project.config.root });
  const dataDir = (await makeDataDir('dhara-test-', await fastestFolder())).path;
  const postgres = await startEmbeddedPostgres({
    dataDir,
    durable: false,
    log: pino({ level: 'warn' }),
  });

  const stop = async (): Promise<void> => {
    await postgres.stop();
    await removeDataDir(dataDir);
  };
  project.provide('demoTemplateDir', join(dataDir, 'demo'));
  try {
    project.provide('testPostgres', await createTemplate(postgres));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function createTemplate(postgres: EmbeddedPostgres): Promise<TestPostgres> {
  const superuserBaseUrl = withoutDatabase(postgres.superuserUrl);
  const migrationBaseUrl = withoutDatabase(postgres.migrationUrl);
  const runtimeBaseUrl = withoutDatabase(postgres.runtimeUrl);

  await query(postgres.superuserUrl, `create database ${TEMPLATE_DATABASE} owner ${OWNER_ROLE}`);
  await query(`${superuserBaseUrl}${TEMPLATE_DATABASE}`, CLOSE_DATABASE);
  // Tests also forge, monitor and end connections as the owner.
  await query(
    postgres.superuserUrl,
    `grant pg_monitor, pg_signal_backend to ${OWNER_ROLE};
     grant set on parameter session_replication_role to ${OWNER_ROLE}`,
  );

  await migrate({
    migrationUrl: `${migrationBaseUrl}${TEMPLATE_DATABASE}`,
    runtimeUrl: `${runtimeBaseUrl}${TEMPLATE_DATABASE}`,
  });
  return { superuserBaseUrl, migrationBaseUrl, runtimeBaseUrl, templateDatabase: TEMPLATE_DATABASE };
}

function withoutDatabase(url: string): string {
  return url.slice(0, url.lastIndexOf('/') + 1);
}
