import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { migrate } from '../../../src/db/migrate.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { runtimeRoleFaults } from '../../../src/db/runtimeRole.js';
import { Scene } from '../../support/database/embeddedScene.js';
import { query } from '../../support/database/query.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(() => scene.close());

/** The owners of everything in the three schemas. */
const OWNERS = `
  with object(name, owner, is_extension) as (
    select c.oid::regclass::text, relowner, exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      from pg_class c where relnamespace in ('public'::regnamespace, 'auth'::regnamespace, 'pgboss'::regnamespace)
    union all
    select p.oid::regprocedure::text, proowner, exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      from pg_proc p where pronamespace in ('public'::regnamespace, 'auth'::regnamespace, 'pgboss'::regnamespace)
    union all
    select t.oid::regtype::text, typowner, exists (select from pg_depend d where d.objid = t.oid and d.deptype = 'e')
      from pg_type t where typnamespace in ('public'::regnamespace, 'auth'::regnamespace, 'pgboss'::regnamespace)
    union all
    select 'schema ' || nspname, nspowner, false from pg_namespace where nspname in ('auth', 'pgboss')
    union all
    select 'database', datdba, false from pg_database where datname = current_database()
  )
  select distinct owner::regrole::text as owner from object where not is_extension`;

describe('the embedded database', () => {
  it('belongs to a role that is no superuser, functions included', async () => {
    const postgres = await scene.start();
    await migrate(postgres);

    expect(await query(postgres.migrationUrl, OWNERS)).toEqual([{ owner: 'dhara_owner' }]);
    expect(
      await query(
        postgres.migrationUrl,
        `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles
         where rolname = current_user`,
      ),
    ).toEqual([
      { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false },
    ]);
    expect(await faults(postgres.runtimeUrl)).toEqual([]);
  });

  it('of an earlier release is handed over at the next start with its rows, and migrates', async () => {
    const postgres = await scene.start();
    await migrate(postgres);
    await query(postgres.migrationUrl, 'create table note (text text)');
    await query(postgres.migrationUrl, `insert into note values ('kept')`);
    await makeAsBefore(postgres.superuserUrl);
    await postgres.stop();

    const again = await scene.start();
    expect(await query(again.migrationUrl, OWNERS)).toEqual([{ owner: 'dhara_owner' }]);
    await migrate(again);
    expect(await query(again.migrationUrl, 'select text from note')).toEqual([{ text: 'kept' }]);
    expect(await faults(again.runtimeUrl)).toEqual([]);
  });

  it('admits the runtime role to its own database only', async () => {
    const { runtimeUrl } = await scene.start();
    for (const name of ['postgres', 'template1']) {
      const url = new URL(runtimeUrl);
      url.pathname = `/${name}`;
      await expect(query(url.href, 'select 1')).rejects.toMatchObject({ code: '42501' });
    }
    await expect(query(runtimeUrl, 'select lo_creat(-1)')).rejects.toMatchObject({ code: '42501' });
    await expect(query(runtimeUrl, `select lo_from_bytea(0, '\\x00')`)).rejects.toMatchObject({ code: '42501' });
  });
});

it('runtimeRoleFaults finds every right beyond reading and writing rows', async () => {
  const postgres = await scene.start();
  await migrate(postgres);
  for (const [code, statement, undo] of [
    ['superuser', 'alter role dhara_app superuser', 'alter role dhara_app nosuperuser'],
    ['owner', 'grant dhara_owner to dhara_app', 'revoke dhara_owner from dhara_app'],
    ['attribute', 'alter role dhara_app createrole', 'alter role dhara_app nocreaterole'],
    ['membership', 'grant pg_write_server_files to dhara_app', 'revoke pg_write_server_files from dhara_app'],
    ['create', 'grant create on schema public to dhara_app', 'revoke create on schema public from dhara_app'],
    ['create', 'grant create on database dhara to public', 'revoke create on database dhara from public'],
    ['temp', 'grant temporary on database dhara to dhara_app', 'revoke temporary on database dhara from dhara_app'],
    [
      'setting',
      'grant set on parameter session_replication_role to dhara_app',
      'revoke set on parameter session_replication_role from dhara_app',
    ],
    [
      'definer',
      'alter function open_account(uuid) owner to postgres',
      'alter function open_account(uuid) owner to dhara_owner',
    ],
  ] as const) {
    await asSuperuser(postgres.superuserUrl, statement);
    const found = new Set((await faults(postgres.runtimeUrl)).map((fault) => fault.code));
    await asSuperuser(postgres.superuserUrl, undo);
    expect([statement, found]).toEqual([statement, new Set([code])]);
  }
});

/** Restores the state of earlier releases: the superuser owns everything, and the owner has no password. */
async function makeAsBefore(superuserUrl: string): Promise<void> {
  await asSuperuser(
    superuserUrl,
    `reassign owned by dhara_owner to postgres;
     alter database dhara owner to postgres;
     drop owned by dhara_owner;
     drop role dhara_owner`,
  );
  const file = join(scene.dataDir, 'postgres/passwords.json');
  const { migration, runtime } = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
  await writeFile(file, JSON.stringify({ migration, runtime }));
}

/** Runs a statement in the database of the service. */
async function asSuperuser(superuserUrl: string, statement: string): Promise<void> {
  const url = new URL(superuserUrl);
  url.pathname = '/dhara';
  await query(url.href, statement);
}

async function faults(runtimeUrl: string) {
  const db = await PostgresDatabase.connect({ url: runtimeUrl, maxConnections: 1 });
  try {
    return await runtimeRoleFaults(db.sql);
  } finally {
    await db.close();
  }
}
