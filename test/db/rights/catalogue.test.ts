import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock } from '../../../src/db/virtualClock.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { CATALOGUE } from '../../../src/domain/ledger/verify/verifyRights.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
let db: PostgresDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 2 });
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

async function catalogue(): Promise<[string, string][]> {
  const rows = await db.sql.query<{ object: string; definition: string }>({ name: 'test-catalogue', text: CATALOGUE });
  return rows.map(({ object, definition }) => [object, definition]);
}

async function faults(): Promise<string[]> {
  return (await verifyLedger(db)).faults.map(({ check, subject }) => `${check}: ${subject}`);
}

describe('the catalogue of what guards the books', () => {
  it('is what the migrations of this build make; regenerate it by `npm test -- test/db/rights/catalogue.test.ts --update`', async () => {
    const migrated = await catalogue();
    await installVirtualClock(database.migrationUrl);
    const found = new Map<string, Set<string>>();
    for (const [object, definition] of [...migrated, ...(await catalogue())]) {
      found.set(object, (found.get(object) ?? new Set()).add(definition));
    }
    const lines = [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([object, definitions]) => `  ${JSON.stringify(object)}: ${JSON.stringify([...definitions].sort())},\n`);
    await expect(
      '/** Made by test/db/rights/catalogue.test.ts: what a migrated database has to guard its books. */\n' +
        `export const EXPECTED_CATALOGUE: Readonly<Record<string, readonly string[]>> = {\n${lines.join('')}};\n`,
    ).toMatchFileSnapshot('../../../src/domain/ledger/generated/catalogue.ts');
  });

  it('is complete, with a development clock or without', async () => {
    expect(await faults()).toEqual([]);
  });

  it.each([
    ['its own search path', 'alter database {database} set search_path = pg_catalog, public'],
    [
      'a search path in which public is not first',
      'create schema elsewhere; alter role dhara_app in database {database} set search_path = elsewhere, "$user", public',
    ],
    ['a view of an extension that belongs to its administrator', 'create extension pg_stat_statements schema public'],
    [
      'an administrator who is a member of the owner and has rights',
      `create role {role}; grant dhara_owner to {role};
      grant all on ledger_entry, ledger_account to {role}; grant execute on function ledger_post to {role}`,
    ],
    [
      'an event trigger',
      `create function pg_catalog.hosting_notice() returns event_trigger language plpgsql as 'begin end';
      create event trigger hosting_notice on ddl_command_end execute function pg_catalog.hosting_notice()`,
    ],
  ])('is complete if a hosted server adds %s', async (_, statement) => {
    const hosted = await createTestDatabase();
    const role = `hosting_${hosted.name}`;
    const admin = new pg.Client({ connectionString: inject('testPostgres').superuserBaseUrl + hosted.name });
    await admin.connect();
    try {
      await admin.query('set allow_system_table_mods = on');
      await admin.query(statement.replaceAll('{database}', hosted.name).replaceAll('{role}', role));
      const their = await PostgresDatabase.connect({ url: hosted.runtimeUrl, maxConnections: 1 });
      try {
        expect((await verifyLedger(their)).faults).toEqual([]);
      } finally {
        await their.close();
      }
    } finally {
      await admin.query(
        `do $$ begin if to_regrole('${role}') is not null then drop owned by ${role}; drop role ${role}; end if; end $$`,
      );
      await admin.end();
      await hosted.drop();
    }
  });

  it.each([
    ['alter database {database} set search_path = elsewhere', 'setting of the database'],
    [
      'create schema elsewhere; create table elsewhere.ledger_entry (); alter database {database} set search_path = elsewhere, public',
      'setting of the database',
    ],
    ['alter table ledger_entry disable trigger ledger_entry_balanced', 'trigger ledger_entry_balanced on ledger_entry'],
    ['alter table ledger_entry_p7 disable trigger all', 'trigger ledger_entry_append_only on ledger_entry_p7'],
    ['drop trigger audit_entry_append_only on audit_entry', 'trigger audit_entry_append_only on audit_entry'],
    ['alter table escrow enable row level security; create policy p on escrow', 'policy p on escrow'],
    ['create rule r as on insert to ledger_tx do instead nothing', 'rule r on ledger_tx'],
    [
      `create or replace function refuse_change() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$ begin return new; end $$`,
      'function refuse_change()',
    ],
    ['alter function open_account(uuid) set search_path = public', 'function open_account(uuid)'],
    ['alter function refuse_unbalanced() security definer', 'function refuse_unbalanced()'],
    ['grant execute on function open_account_of_user() to public', 'function open_account_of_user()'],
    ['create function backdoor() returns integer language sql return 1', 'function backdoor()'],
    ['grant update on ledger_account to dhara_app', 'rights on ledger_account'],
    ['grant insert on ledger_entry_p3 to public', 'rights on ledger_entry_p3'],
    ['grant update (balance) on ledger_account to dhara_app', 'rights on columns of ledger_account'],
    ['grant insert on pgboss.bam to dhara_app', 'rights on pgboss.bam'],
    ['alter table ledger_account drop constraint no_overdraft', 'constraint no_overdraft on ledger_account'],
    ['drop index ledger_tx_id', 'unique index ledger_tx_id'],
    [`insert into ledger_rule values ('TOPUP', 'gift', 63, -1)`, 'ledger rule TOPUP gift'],
    [`delete from ledger_rule where shape = 'charged'`, 'ledger rule STORAGE charged'],
  ])('reports a fault after: %s', async (statement, subject) => {
    const tampered = await createTestDatabase();
    tampered.leaveUnproven('its guards are tampered with');
    const their = await PostgresDatabase.connect({ url: tampered.runtimeUrl, maxConnections: 1 });
    const admin = new pg.Client({ connectionString: tampered.migrationUrl });
    await admin.connect();
    try {
      await admin.query(statement.replaceAll('{database}', tampered.name));
      const { faults } = await verifyLedger(their);
      expect(faults.map((fault) => `${fault.check}: ${fault.subject}`)).toEqual([`catalogue: ${subject}`]);
      expect(faults[0]!.found).not.toBe(faults[0]!.expected);
    } finally {
      await their.close();
      await admin.end();
      await tampered.drop();
    }
  });
});
