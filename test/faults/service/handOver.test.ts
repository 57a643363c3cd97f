import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';

import { migrateIdentity } from '../../../src/adapters/identity/migrateIdentity.js';
import { migrateQueue } from '../../../src/adapters/queue/migrateQueue.js';
import { findFreePort } from '../../support/freePort.js';
import { baseline } from '../../../src/db/migrations/index.js';
import { ormOptions } from '../../../src/db/orm.js';
import { makeDataDir } from '../../support/dataDir.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ServiceProcess } from '../../support/service.js';
import { query } from '../../support/database/query.js';

const OWNER = `owner_${randomBytes(4).toString('hex')}`;
const RUNTIME = `app_${randomBytes(4).toString('hex')}`;

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof makeDataDir>>;
let superuserUrl: string;
let superuser: pg.Client;

beforeEach(async () => {
  folder = await makeDataDir();
  database = await createTestDatabase('empty');
  superuserUrl = inject('testPostgres').superuserBaseUrl + database.name;
  superuser = new pg.Client({ connectionString: superuserUrl });
  await superuser.connect();
});

afterEach(async () => {
  await superuser?.end();
  await database?.drop();
  await query(`${inject('testPostgres').superuserBaseUrl}postgres`, `drop role if exists ${OWNER}, ${RUNTIME}`);
  await folder?.remove();
});

/** A database of an earlier version that nobody handed over, as `url` migrated it. */
async function migrateAsBefore(url: string): Promise<void> {
  const orm = await MikroORM.init(ormOptions({ url, maxConnections: 1 }));
  await orm.migrator.up({ to: baseline.at(-1)!.name });
  await orm.close(true);
  await migrateIdentity(url);
  await migrateQueue(url);
  await superuser.query('select open_account(gen_random_uuid())');
}

function urlOf(role: string, password: string): string {
  const url = new URL(superuserUrl);
  [url.username, url.password] = [role, password];
  return url.href;
}

async function dhara(args: string[], urls: { runtime: string; migration: string }): Promise<ServiceProcess> {
  return ServiceProcess.start(args, {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://video.example',
    TRUST_PROXY: '1',
    DATABASE_URL: urls.runtime,
    DATABASE_MIGRATION_URL: urls.migration,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:1',
    DATA_DIR: folder.path,
    PORT: String(await findFreePort()),
  });
}

async function refusal(urls: { runtime: string; migration: string }): Promise<string> {
  const before = await everything();
  const run = await dhara(['migrate'], urls);
  expect(await run.exit()).toBe(1);
  expect(await everything()).toEqual(before);
  return run.output.trim();
}

/** Everything a migration would change: objects, their owners and rights, and the list of migrations. */
async function everything(): Promise<unknown[]> {
  const { rows } = await superuser.query(`
    select oid::regclass::text as name, relowner::regrole::text as owner, relacl::text as rights from pg_class
      where relnamespace in (select oid from pg_namespace where nspname in ('public', 'auth', 'pgboss'))
    union all select oid::regprocedure::text, proowner::regrole::text, concat(proacl, proconfig, prosrc) from pg_proc
      where pronamespace in (select oid from pg_namespace where nspname in ('public', 'auth', 'pgboss'))
    union all select datname, datdba::regrole::text, datacl::text from pg_database where datname = current_database()
    order by 1, 2`);
  const { rows: names } = await superuser.query('select name from mikro_orm_migrations order by 1');
  return [...rows, ...names];
}

/** The SQL of the documentation, with this test's names. */
async function documentedSql(): Promise<string> {
  const manual = await readFile(resolve(import.meta.dirname, '../../../docs/database.md'), 'utf8');
  const [, sql = ''] = /## Hand over the database\n[^]*?```sql\n([^]*?)```/.exec(manual) ?? [];
  expect(sql).toContain('alter database');
  return sql.replaceAll('dhara_owner', OWNER).replaceAll('dhara_app', RUNTIME);
}

async function startsAndVerifies(urls: { runtime: string; migration: string }): Promise<void> {
  const migrated = await dhara(['migrate'], urls);
  expect(await migrated.exit(), migrated.output).toBe(0);
  const service = await dhara(['api'], urls);
  await service.ready();
  expect(await service.stop(), service.output).toBe(0);
  const verified = await dhara(['ledger', 'verify'], urls);
  expect(await verified.exit(), verified.output).toBe(0);
}

it('a database that a superuser migrated is refused unchanged, and upgrades after the documented SQL', async () => {
  await superuser.query(`alter database ${database.name} owner to postgres`);
  await migrateAsBefore(superuserUrl);
  const runtime = inject('testPostgres').runtimeBaseUrl + database.name;

  const line = await refusal({ runtime, migration: superuserUrl });
  expect(line).toMatch(/^dhara: DATABASE_MIGRATION_URL: postgres is a superuser, .*Nothing was changed.*Hand over/);
  expect(await refusal({ runtime, migration: database.migrationUrl })).toMatch(
    /the database test_\w+ belongs to postgres, not to dhara_owner, .*objects belong to another role, such as schema auth to postgres/,
  );

  await superuser.query(await documentedSql());
  await startsAndVerifies({ runtime: urlOf(RUNTIME, 'change-me-too'), migration: urlOf(OWNER, 'change-me') });
});

it('a database with one role for everything is refused unchanged, and upgrades after the documented SQL', async () => {
  await migrateAsBefore(database.migrationUrl);
  const urls = { runtime: database.migrationUrl, migration: database.migrationUrl };
  expect(await refusal(urls)).toMatch(
    /^dhara: DATABASE_URL: role dhara_owner\. The role has the rights of dhara_owner, .*create role dhara_app .*Nothing was changed\.$/,
  );

  await superuser.query(await documentedSql());
  await startsAndVerifies({ runtime: urlOf(RUNTIME, 'change-me-too'), migration: urlOf(OWNER, 'change-me') });
});

it('an owner of the tables who does not own the database is refused unchanged, and upgrades after one line', async () => {
  await migrateAsBefore(database.migrationUrl);
  const runtime = inject('testPostgres').runtimeBaseUrl + database.name;
  await superuser.query(`alter database ${database.name} owner to postgres`);
  await superuser.query('alter schema public owner to dhara_owner');
  const urls = { runtime, migration: database.migrationUrl };
  expect(await refusal(urls)).toMatch(
    /DATABASE_MIGRATION_URL: the database test_\w+ belongs to postgres, [^;]*\. Nothing/,
  );

  await superuser.query(`alter database ${database.name} owner to dhara_owner`);
  await startsAndVerifies(urls);
});

it('a missing role is named before anything changes', async () => {
  await migrateAsBefore(database.migrationUrl);
  const runtime = urlOf('nobody_of_ours', 'x');
  expect(await refusal({ runtime, migration: database.migrationUrl })).toContain(
    'the role nobody_of_ours of DATABASE_URL does not exist',
  );
});
