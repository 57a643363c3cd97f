import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { migrateQueue } from '../../../src/adapters/queue/migrateQueue.js';
import { CALLED_AS_OWNER } from '../../../src/db/grants.js';
import { migrate } from '../../../src/db/migrate.js';
import { installVirtualClock } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const FORBIDDEN = '42501';

let database: TestDatabase;
let service: pg.Client;
let owner: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  service = new pg.Client({ connectionString: database.runtimeUrl });
  owner = new pg.Client({ connectionString: database.migrationUrl });
  await service.connect();
  await owner.connect();
});
afterAll(async () => {
  await service?.end();
  await owner?.end();
  await database?.drop();
});

/** The SQLSTATE with which the statements fail as the runtime role. Rolled back. */
async function refusal(...statements: string[]): Promise<string> {
  await service.query('begin');
  try {
    for (const statement of statements) await service.query(statement);
    return 'done';
  } catch (error) {
    return (error as pg.DatabaseError).code ?? 'unknown';
  } finally {
    await service.query('rollback');
  }
}

describe('the runtime role', () => {
  it.each([
    'create temporary table account (id uuid)',
    'create temporary view account as select 1',
    'create temporary sequence counter',
    'create function pg_temp.account() returns integer language sql return 1',
    'create table public.mine (n integer)',
    'create view public.mine as select 1',
    'create function public.mine() returns integer language sql return 1',
    'create function auth.mine() returns integer language sql return 1',
    'create function pgboss.job_now() returns timestamptz language sql return now()',
    'create procedure public.mine() language sql as $$ select 1 $$',
    'create aggregate public.mine(integer) (sfunc = int4pl, stype = integer)',
    'create operator public.= (leftarg = uuid, rightarg = text, function = texteq)',
    'create operator public.# (leftarg = integer, rightarg = integer, function = int4pl)',
    'create type public.mine as enum ()',
    'create domain public.mine as text',
    'create cast (text as uuid) with inout as implicit',
    'create cast (bigint as text) without function as assignment',
    'create collation public.mine from "C"',
    'create schema mine',
    'create extension pg_trgm',
    'create language plperl',
    'create foreign data wrapper mine',
    'create publication mine for all tables',
    'create event trigger mine on ddl_command_start execute function public.refuse_change()',
    'create trigger mine before insert on public.account for each row execute function public.refuse_change()',
    'create trigger mine before insert on auth."user" for each row execute function public.refuse_change()',
    'create trigger mine before insert on pgboss.job for each row execute function public.refuse_change()',
    'create rule mine as on insert to auth."user" do instead nothing',
    'create policy mine on public.account using (true)',
    'create index mine on public.account (id)',
    'select lo_creat(-1)',
  ])('cannot create an object: %s', async (statement) => {
    expect(await refusal(statement)).toBe(FORBIDDEN);
  });
});

describe('the runtime role', () => {
  it.each([
    'set role dhara_owner',
    'set role postgres',
    'set session authorization dhara_owner',
    'set session_replication_role = replica',
    'alter role current_user superuser',
    'alter role current_user createdb',
    'create role mine',
    'grant dhara_owner to current_user',
    'alter default privileges for role dhara_owner grant all on tables to public',
    'alter table public.account owner to current_user',
    'alter table auth."user" disable trigger all',
    'alter function public.open_account(uuid) security invoker',
    'alter function public.open_account(uuid) set search_path = pg_temp',
    'alter database postgres set search_path = pg_temp',
    `copy (select 1) to program 'id'`,
    `copy (select 1) to '/tmp/out'`,
    `copy public.account from '/etc/passwd'`,
    `select pg_read_file('/etc/passwd')`,
    `select pg_ls_dir('.')`,
    `select lo_import('/etc/passwd')`,
    `select pg_reload_conf()`,
    `select dblink('', '')`,
  ])('cannot gain rights: %s', async (statement) => {
    expect([FORBIDDEN, '42883']).toContain(await refusal(statement));
  });

  it('can set its own search_path, which functions of the owner ignore', async () => {
    const id = newId();
    await service.query('begin; set local search_path = pg_temp, auth, pgboss');
    await service.query(`insert into auth."user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
      values ('${id}', 'x', '${id}@example.com', false, now(), now())`);
    await service.query('commit');
    const { rows } = await owner.query('select from ledger_account where owner_id = $1', [id]);
    expect(rows).toHaveLength(14);
  });
});

describe('temporary tables named like ours', () => {
  // An owner of a database may have left everybody the right to create temporary tables.
  beforeAll(() => owner.query(`grant temporary on database ${database.name} to dhara_app`));
  afterAll(() => owner.query(`revoke temporary on database ${database.name} from dhara_app`));

  /** The roles that ran triggers of temporary tables while `statement` ran. */
  async function thieves(statement: string): Promise<string[]> {
    await service.query('begin');
    try {
      await service.query(`
        create temporary table loot (thief text);
        grant insert on loot to public;
        create temporary table account (id uuid primary key);
        create temporary table video_count (account_id uuid primary key);
        create temporary table ledger_account (owner_id uuid, account_no smallint);
        create temporary table referral (account_id uuid);
        create temporary table virtual_clock (offset_ms bigint);
        create function pg_temp.steal() returns trigger language plpgsql as
          $$ begin insert into pg_temp.loot values (current_user); return new; end $$;
        grant execute on function pg_temp.steal() to public`);
      for (const table of ['account', 'video_count', 'ledger_account', 'referral']) {
        await service.query(`grant all on pg_temp.${table} to public;
          create trigger steal before insert on pg_temp.${table} for each row execute function pg_temp.steal()`);
      }
      await service.query(statement);
      return (await service.query<{ thief: string }>('select thief from pg_temp.loot')).rows.map((row) => row.thief);
    } finally {
      await service.query('rollback');
    }
  }

  it('are used by a function with pg_temp missing from its search_path, with the owner’s rights', async () => {
    await owner.query(`create function victim() returns void language sql security definer set search_path = public
      as $$ insert into account (id) values (gen_random_uuid()) $$`);
    await owner.query('grant execute on function victim() to dhara_app');
    expect(await thieves('select public.victim()')).toEqual(['dhara_owner']);
    await owner.query('drop function victim()');
  });

  it.each([
    `insert into auth."user" (id, name, email, "emailVerified", "createdAt", "updatedAt", "referralCode")
      select gen_random_uuid(), 'x', gen_random_uuid() || '@example.com', false, now(), now(), code
      from public.referral_code limit 1`,
    'select public.open_account(gen_random_uuid())',
    'select public.service_now()',
    `select public.attribute_referral(gen_random_uuid(), 'a@example.com', code) from public.referral_code limit 1`,
  ])('are not used by our functions: %s', async (statement) => {
    await owner.query('select open_account(gen_random_uuid())');
    expect(await thieves(statement)).toEqual([]);
  });
});

describe('functions of the schemas', () => {
  it('look names up only where the owner can create them, and in pg_temp last', async () => {
    await installVirtualClock(database.migrationUrl);
    const { rows } = await owner.query<{ name: string; config: string[] | null }>(
      `select p.oid::regprocedure::text as name, p.proconfig as config from pg_proc p
       where p.pronamespace in ('public'::regnamespace, 'auth'::regnamespace, 'pgboss'::regnamespace)
         and (p.prosecdef or p.pronamespace = 'public'::regnamespace) and p.prosqlbody is null
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const { name, config } of rows) {
      const path = config?.find((setting) => setting.startsWith('search_path='));
      expect([name, path]).toEqual([name, expect.stringMatching(/^search_path=pg_catalog, (public, )?pg_temp$/)]);
    }
  });

  it('that run as their owner can be called only if the service needs them', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select p.proname as name from pg_proc p
       where p.prosecdef and p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
         and has_function_privilege('dhara_app', p.oid, 'execute') order by 1`,
    );
    expect([...CALLED_AS_OWNER]).toEqual(expect.arrayContaining(rows.map((row) => row.name)));
  });

  it('are executable by nobody else by default, including later ones', async () => {
    await owner.query('create function later() returns integer language sql return 1');
    const { rows } = await owner.query(
      `select p.oid::regprocedure::text as name from pg_proc p
       where p.pronamespace in ('public'::regnamespace, 'auth'::regnamespace, 'pgboss'::regnamespace)
         and has_function_privilege('public', p.oid, 'execute') and p.proname <> 'service_now'
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    );
    expect(rows).toEqual([]);
    expect(await refusal('select public.later()')).toBe(FORBIDDEN);
    await owner.query('drop function later()');
  });
});

describe('pg-boss', () => {
  it('takes no commands from the runtime role', async () => {
    const values = `values ('x', 1, 'pending', null, 'job', 'alter role dhara_app createrole')`;
    const plant = `insert into pgboss.bam (name, version, status, queue, table_name, command) ${values}`;
    expect(await refusal(plant)).toBe(FORBIDDEN);
    for (const statement of [
      `update pgboss.bam set command = 'drop table ledger_entry'`,
      'delete from pgboss.bam',
      'update pgboss.version set version = 1',
      'delete from pgboss.version',
      `update pgboss.queue set table_name = 'x; drop table ledger_entry'`,
      'update pgboss.queue set partition = true',
      'delete from pgboss.queue',
      `update virtual_clock set offset_ms = 1`,
      `insert into mikro_orm_migrations (name) values ('9999')`,
    ]) {
      expect([statement, await refusal(statement)]).toEqual([statement, FORBIDDEN]);
    }
    const queue = `insert into pgboss.queue select (jsonb_populate_record(q, '{"name": "x", "table_name": "a; b"}')).*
      from pgboss.queue q limit 1`;
    expect(await refusal(queue)).toBe('23514');
  });

  it('does not run a command that was planted before those rights were revoked', async () => {
    await owner.query('grant insert on pgboss.bam to dhara_app');
    await service.query(
      `insert into pgboss.bam (name, version, status, table_name, command)
       values ('x', 1, 'pending', 'job', 'create table public.planted ()')`,
    );
    await owner.query('update pgboss.version set bam_on = null');
    await migrate(database);
    await migrateQueue(database.migrationUrl);
    expect((await owner.query(`select to_regclass('public.planted') as planted`)).rows).toEqual([{ planted: null }]);
    expect((await owner.query('select from pgboss.bam')).rows).toEqual([]);
  });
});
