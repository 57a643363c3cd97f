import { execFile } from 'node:child_process';
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { pino } from 'pino';

import { findFreePort } from '../../../src/db/embedded/port.js';
import { runAs } from '../../../src/db/embedded/run.js';
import { PostgresServer } from '../../../src/db/embedded/server.js';
import { databaseUser } from '../../../src/db/embedded/systemUser.js';
import { makeDataDir } from '../dataDir.js';
import { query } from '../database/query.js';
import { REPOSITORY } from '../deploy/units.js';

const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'p@ss:word/with%signs';

interface DatabaseUrls {
  DATABASE_URL: string;
  DATABASE_MIGRATION_URL: string;
}

/** A PostgreSQL of Debian, as operators run it themselves: with the two roles of `deploy/compose/roles.sh`. */
export interface OwnPostgres {
  /** The settings of the database that this script creates. */
  readonly dhara: DatabaseUrls;
  /** Creates a database that the owner role owns. @returns its settings */
  create(name: string): Promise<DatabaseUrls>;
  stop(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const [major] = (await readdir(DEBIAN)).toSorted((a, b) => Number(b) - Number(a));
  const bin = join(DEBIAN, major!, 'bin');
  const folder = await makeDataDir('dhara-debian-postgres-');
  const user = process.getuid?.() === 0 ? await databaseUser() : undefined;
  const clusterDir = join(folder.path, 'cluster');
  const passwordFile = join(folder.path, 'password');
  await writeFile(passwordFile, PASSWORD, { mode: 0o600 });
  await mkdir(clusterDir, { mode: 0o700 });
  if (user) for (const path of [clusterDir, passwordFile]) await chown(path, user.uid, user.gid);
  await runAs(user, join(bin, 'initdb'), [
    `--pgdata=${clusterDir}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  ]);
  const port = await findFreePort();
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off' };
  const server = await PostgresServer.start({
    program: join(bin, 'postgres'),
    clusterDir,
    args: ['-D', clusterDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    user,
    log: pino({ level: 'silent' }),
  });
  const urlOf = (role: string, database: string): string =>
    `postgresql://${role}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`;
  const urlsOf = (database: string): DatabaseUrls => ({
    DATABASE_URL: urlOf('dhara_app', database),
    DATABASE_MIGRATION_URL: urlOf('dhara_owner', database),
  });
  await promisify(execFile)('sh', [join(REPOSITORY, 'deploy/compose/roles.sh')], {
    env: {
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGPASSWORD: PASSWORD,
      DHARA_OWNER_PASSWORD: PASSWORD,
      DHARA_APP_PASSWORD: PASSWORD,
    },
  });
  return {
    dhara: urlsOf('dhara'),
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
