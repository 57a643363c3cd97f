import { execFile } from 'node:child_process';
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { pino } from 'pino';

import { findFreePort } from '../freePort.js';
import { runAs } from '../../../src/db/embedded/run.js';
import { PostgresServer } from '../../../src/db/embedded/server.js';
import { databaseUser, type SystemUser } from '../../../src/db/embedded/systemUser.js';
import { makeDataDir } from '../dataDir.js';
import { query } from '../database/query.js';
import { REPOSITORY } from '../deploy/units.js';

const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'p@ss:word/with%signs';

interface DatabaseUrls {
  DATABASE_URL: string;
  DATABASE_MIGRATION_URL: string;
}

export type ServerSettings = Readonly<Record<string, string | number>>;

/** A PostgreSQL of Debian, as operators run it themselves: with the two roles of `deploy/compose/roles.sh`. */
export interface OwnPostgres {
  /** The settings of the database that this script creates. */
  readonly dhara: DatabaseUrls;
  /** The superuser's address of a database. */
  superuserUrl(database: string): string;
  /** Creates a database that the owner role owns. @returns its settings */
  create(name: string): Promise<DatabaseUrls>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

export async function startOwnPostgres(settings: ServerSettings = {}): Promise<OwnPostgres> {
  const { bin, user } = await debianPostgres();
  const folder = await makeDataDir('dhara-debian-postgres-');
  const clusterDir = await makeFolder(join(folder.path, 'cluster'), user);
  const passwordFile = join(folder.path, 'password');
  await writeFile(passwordFile, PASSWORD, { mode: 0o600 });
  if (user) await chown(passwordFile, user.uid, user.gid);
  await runAs(user, join(bin, 'initdb'), [
    `--pgdata=${clusterDir}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  ]);
  const postgres = await startCluster(folder, settings);
  await promisify(execFile)('sh', [join(REPOSITORY, 'deploy/compose/roles.sh')], {
    env: {
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      PGHOST: '127.0.0.1',
      PGPORT: new URL(postgres.superuserUrl('postgres')).port,
      PGPASSWORD: PASSWORD,
      DHARA_OWNER_PASSWORD: PASSWORD,
      DHARA_APP_PASSWORD: PASSWORD,
    },
  });
  return postgres;
}

/** Starts what is in `cluster` of a folder, which is removed at the end. */
export async function startCluster(
  folder: Awaited<ReturnType<typeof makeDataDir>>,
  settings: ServerSettings,
): Promise<OwnPostgres> {
  const { bin, user } = await debianPostgres();
  const clusterDir = join(folder.path, 'cluster');
  const port = await findFreePort();
  const all = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off', ...settings };
  const server = await PostgresServer.start({
    program: join(bin, 'postgres'),
    clusterDir,
    args: ['-D', clusterDir, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    user,
    log: pino({ level: 'silent' }),
  });
  const urlOf = (role: string, database: string): string =>
    `postgresql://${role}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`;
  const urlsOf = (database: string): DatabaseUrls => ({
    DATABASE_URL: urlOf('dhara_app', database),
    DATABASE_MIGRATION_URL: urlOf('dhara_owner', database),
  });
  return {
    dhara: urlsOf('dhara'),
    superuserUrl: (database) => urlOf('postgres', database),
    async create(name) {
      await query(urlOf('postgres', 'postgres'), `create database ${name} owner dhara_owner`);
      return urlsOf(name);
    },
    async stop() {
      await server.stop();
      await folder.remove();
    },
  };
}

export async function debianPostgres(): Promise<{ bin: string; user: SystemUser | undefined }> {
  const [major] = (await readdir(DEBIAN)).toSorted((a, b) => Number(b) - Number(a));
  const user = process.getuid?.() === 0 ? await databaseUser() : undefined;
  return { bin: join(DEBIAN, major!, 'bin'), user };
}

/** A new folder that only the server's user may enter. @returns its path */
export async function makeFolder(path: string, user: SystemUser | undefined): Promise<string> {
  await mkdir(path, { mode: 0o700 });
  if (user) await chown(path, user.uid, user.gid);
  return path;
}
