import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';

import { migrateIdentity } from '../adapters/identity/migrateIdentity.js';
import { migrateQueue } from '../adapters/queue/migrateQueue.js';
import { migrations } from './migrations/index.js';
import { ormOptions } from './orm.js';
import type { Sql, Statement } from './sql.js';

export interface MigrateOptions {
  /** The role that owns tables. */
  migrationUrl: string;
  /** The role the service runs as; it gets rights on rows only. May be the same role, then nothing is narrowed. */
  runtimeUrl: string;
}

/** Any number: processes that start together take turns. */
const MIGRATION_LOCK = 7_140_911;

/** Brings a database up to date, from empty or from any earlier version. Running it again changes nothing. */
export async function migrate(options: MigrateOptions): Promise<void> {
  const client = new pg.Client({ connectionString: options.migrationUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrateTables(options.migrationUrl);
    await migrateIdentity(options.migrationUrl);
    await migrateQueue(options.migrationUrl);
    await bindAccountsToUsers(client);
    await grantRuntimeRole(client, decodeURIComponent(new URL(options.runtimeUrl).username));
  } finally {
    await client.end();
  }
}

/** What PostgreSQL says of a database that was never migrated, or not for this role. */
const NEVER_MIGRATED = new Set(['42P01', '42501']);

const APPLIED: Statement = { name: 'migrations-applied', text: 'select name from mikro_orm_migrations' };

/** Names of this build's migrations that the database has not seen: empty where the two fit. */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const names = migrations.map((migration) => migration.name);
  try {
    const applied = await sql.query<{ name: string }>(APPLIED);
    const seen = new Set(applied.map((row) => row.name));
    return names.filter((name) => !seen.has(name));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !NEVER_MIGRATED.has(error.code ?? '')) throw error;
    return names;
  }
}

/** An index of a large table takes as long as it takes. */
async function migrateTables(url: string): Promise<void> {
  const orm = await MikroORM.init(ormOptions({ url, maxConnections: 2, statementTimeoutMs: 0 }));
  try {
    await orm.migrator.up();
  } finally {
    await orm.close(true);
  }
}

/** A user is born with a whole account, and as somebody's invitee where a code was given, in the same transaction. */
async function bindAccountsToUsers(client: pg.Client): Promise<void> {
  await client.query(`
    create or replace function open_account_of_user() returns trigger language plpgsql
      security definer set search_path = public as $$
    begin
      perform open_account(new.id);
      perform attribute_referral(new.id, new.email, new."referralCode");
      return new;
    end $$;
    create or replace trigger user_opens_account after insert on auth."user"
      for each row execute function open_account_of_user();`);
}

/**
 * Rows, never tables: the runtime role can append to the ledger and the audit trail, and change neither. In one
 * transaction, so that a service that runs meanwhile never has more.
 */
async function grantRuntimeRole(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ same: boolean }>('select current_user = $1 as same', [role]);
  if (rows[0]?.same) return;
  const name = pg.escapeIdentifier(role);
  const grants = ['public', 'auth', 'pgboss'].map(
    (schema) => `
      grant usage on schema ${schema} to ${name};
      grant select, insert, update, delete on all tables in schema ${schema} to ${name};
      grant usage, select on all sequences in schema ${schema} to ${name};
      grant execute on all functions in schema ${schema} to ${name};`,
  );
  const { rows: partitions } = await client.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'ledger_entry'::regclass`,
  );
  // Rights on a partitioned table say nothing about its partitions, which can be named themselves.
  await client.query(`
    begin;
    ${grants.join('')}
    revoke update, delete, truncate on ledger_tx, ledger_entry, audit_entry, ledger_seal, ledger_seal_owner, ledger_audit from ${name};
    revoke delete, truncate on ledger_account, escrow, stored_object from ${name};
    revoke update, delete, truncate on adjustment from ${name};
    grant update (status, decided_by, decided_at, decision_reason, tx_id) on adjustment to ${name};
    revoke delete, truncate on topup, payment, payment_directory, payment_refund, payment_dispute, refund_request from ${name};
    revoke delete, truncate on suspense_item, webhook_event from ${name};
    revoke update, delete, truncate on invoice from ${name};
    revoke delete, truncate on invoice_counter from ${name};
    revoke update on payment_directory, webhook_event from ${name};
    grant update (status, attempts, last_error, next_attempt_at, account_id, payment_id, outcome, processed_at)
      on webhook_event to ${name};
    revoke delete, truncate on referral_code, referral, referral_outbox, referral_invitee, payer from ${name};
    revoke update, delete, truncate on storage_day from ${name};
    revoke delete, truncate on storage_night, storage_rule from ${name};
    revoke all on ${partitions.map((partition) => partition.name).join(', ')} from ${name};
    revoke insert, update, delete on mikro_orm_migrations from ${name};
    commit;`);
}
