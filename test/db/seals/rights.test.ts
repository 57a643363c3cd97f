import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const FORBIDDEN = '42501';
const PARTITIONS = Array.from({ length: 16 }, (_, n) => `ledger_entry_p${n}`);
/** Tables that are written once. A new table that refuses changes must be added here, and vice versa. */
const APPEND_ONLY = [
  'invoice',
  'ledger_audit',
  'ledger_entry',
  ...PARTITIONS,
  'ledger_seal',
  'ledger_seal_night',
  'ledger_seal_reconciliation',
  'ledger_seal_owner',
  'ledger_tx',
  'storage_day',
  'storage_reversed_day',
];
/** Tables whose rows may change, but are never removed. */
const NEVER_REMOVED = [
  'adjustment',
  'escrow',
  'ledger_account',
  'payment',
  'payment_directory',
  'payment_dispute',
  'payment_refund',
  'referral',
  'referral_outbox',
  'refund_request',
  'stored_object',
  'suspense_item',
  'topup',
  'webhook_event',
];

describe('the rights on the books', () => {
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
    await service.end();
    await owner.end();
    await database.drop();
  });

  it('cover every table that refuses changes', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select distinct tgrelid::regclass::text as name from pg_trigger
        where tgfoid = 'refuse_change'::regproc and tgattr = '' and tgtype & 16 > 0 order by 1`,
    );
    expect(rows.map((row) => row.name)).toEqual(APPEND_ONLY.toSorted());
  });

  it('refuse changes to the audit trail, except for erasing the words of a closed account by its function', async () => {
    await owner.query(
      `insert into audit_entry (account_id, id, action, subject, reason)
       values (gen_random_uuid(), gen_random_uuid(), 'account.suspend', 's', 'r')`,
    );
    const { rows: rights } = await service.query(
      `select has_any_column_privilege('audit_entry', 'update') as updates,
         has_table_privilege('audit_entry', 'delete') as deletes, has_table_privilege('audit_entry', 'truncate') as empties,
         has_table_privilege('audit_entry', 'trigger') as triggers`,
    );
    expect(rights).toEqual([{ updates: false, deletes: false, empties: false, triggers: false }]);
    for (const statement of [
      `update audit_entry set reason = reason`,
      `update audit_entry set subject = 'erased', reason = 'erased', details = '{}'`,
      'delete from audit_entry',
      'truncate audit_entry',
      'merge into audit_entry t using (select 1) s on true when matched then delete',
    ]) {
      expect(await refusal(service, statement)).toBe(FORBIDDEN);
      expect(await refusal(owner, statement)).toBe(FORBIDDEN);
    }
  });

  it.each(APPEND_ONLY)(
    'forbid updates, deletes and truncation of %s, for the service and for the owner',
    async (table) => {
      const { rows } = await owner.query<{ column: string }>(
        `select attname as column from pg_attribute where attrelid = $1::regclass and attnum = 1`,
        [table],
      );
      const column = rows[0]!.column;
      // Checked directly, since a trigger's refusal would hide an existing right.
      const { rows: rights } = await service.query(
        `select has_any_column_privilege($1, 'update') as updates, has_table_privilege($1, 'delete') as deletes,
        has_table_privilege($1, 'truncate') as empties, has_table_privilege($1, 'trigger') as triggers`,
        [table],
      );
      expect(rights).toEqual([{ updates: false, deletes: false, empties: false, triggers: false }]);
      for (const statement of [
        `update ${table} set ${column} = ${column}`,
        `update ${table} set ${column} = ${column} where false`,
        `delete from ${table}`,
        `truncate ${table}`,
        `merge into ${table} t using (select 1) s on true when matched then delete`,
      ]) {
        expect(await refusal(service, statement)).toBe(FORBIDDEN);
        expect(await refusal(owner, statement)).toBe(FORBIDDEN);
      }
      for (const statement of [
        `alter table ${table} disable trigger all`,
        `alter table ${table} owner to current_user`,
        `alter table ${table} add column more text`,
        `drop table ${table}`,
        `create rule gone as on insert to ${table} do instead nothing`,
      ]) {
        expect(await refusal(service, statement)).toBe(FORBIDDEN);
      }
    },
  );

  it.each(NEVER_REMOVED)('forbid deletes and truncation of %s', async (table) => {
    expect(await refusal(service, `delete from ${table}`)).toBe(FORBIDDEN);
    expect(await refusal(service, `truncate ${table}`)).toBe(FORBIDDEN);
  });

  it('forbid naming partitions, and changing a requested adjustment or the body of a webhook', async () => {
    for (const partition of PARTITIONS) {
      expect(await refusal(service, `select from ${partition}`)).toBe(FORBIDDEN);
      expect(await refusal(service, `insert into ${partition} default values`)).toBe(FORBIDDEN);
    }
    expect(await refusal(service, 'update adjustment set amount_micros = 1')).toBe(FORBIDDEN);
    expect(await refusal(service, 'update adjustment set requested_by = account_id')).toBe(FORBIDDEN);
    expect(await refusal(service, `update webhook_event set body = ''`)).toBe(FORBIDDEN);
  });

  it('cannot be bypassed by the service', async () => {
    for (const statement of [
      'set session_replication_role = replica',
      'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$',
      'alter function refuse_change() owner to current_user',
      'drop trigger ledger_tx_append_only on ledger_tx',
      'create table public.mine (n integer)',
      'create function public.service_now() returns timestamptz language sql as $$ select now() $$',
      `insert into mikro_orm_migrations (name) values ('9999_mine')`,
      'update mikro_orm_migrations set name = name',
      'delete from mikro_orm_migrations',
      `alter role current_user superuser`,
    ]) {
      expect([statement, await refusal(service, statement)]).toEqual([statement, FORBIDDEN]);
    }
    const { rows } = await service.query<{ rolsuper: boolean; rolbypassrls: boolean; owned: string }>(
      `select rolsuper, rolbypassrls, (select count(*) from pg_class where relowner = r.oid) as owned
        from pg_roles r where rolname = current_user`,
    );
    expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false, owned: '0' }]);
  });
});

/** The SQLSTATE with which a statement fails. Rolled back. */
async function refusal(client: pg.Client, statement: string): Promise<string> {
  await client.query('begin');
  try {
    await client.query(statement);
    return 'done';
  } catch (error) {
    return (error as pg.DatabaseError).code ?? 'unknown';
  } finally {
    await client.query('rollback');
  }
}
