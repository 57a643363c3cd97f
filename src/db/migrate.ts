import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';

import { migrateIdentity } from '../adapters/identity/migrateIdentity.js';
import { migrateQueue } from '../adapters/queue/migrateQueue.js';
import { dropForeignCommands, grantRuntimeRole } from './grants.js';
import { installLedger } from './ledgerFunctions.js';
import { ormOptions } from './orm.js';
import { arrangePaymentSandbox } from './paymentSandboxTables.js';
import { roleOf } from './roleOf.js';
import { renewVirtualClock } from './virtualClock.js';

export interface MigrateOptions {
  /** Address with the role that owns the tables. */
  migrationUrl: string;
  /**
   * Address with the role of the running service, which gets rights on rows only. If both roles are the same, nothing
   * is restricted.
   */
  runtimeUrl: string;
  /** In production, the payment sandbox and its tables do not exist. */
  production?: boolean;
}

/** An arbitrary number. Processes that start together take turns by this lock. */
const MIGRATION_LOCK = 7_140_911;

/** Migrates a database to the current version, from empty or from any earlier version. Idempotent. */
export async function migrate(options: MigrateOptions): Promise<void> {
  const client = new pg.Client({ connectionString: options.migrationUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await dropForeignCommands(client, roleOf(options.runtimeUrl));
    await migrateTables(options.migrationUrl);
    await arrangePaymentSandbox(client, options.production ?? false);
    await migrateIdentity(options.migrationUrl);
    await migrateQueue(options.migrationUrl);
    await bindAccountsToUsers(client);
    await installLedger(client);
    await renewVirtualClock(client);
    await grantRuntimeRole(client, roleOf(options.runtimeUrl));
  } finally {
    await client.end();
  }
}

/** No timeout: creating an index on a large table may take long. */
async function migrateTables(url: string): Promise<void> {
  const orm = await MikroORM.init(ormOptions({ url, maxConnections: 2, statementTimeoutMs: 0 }));
  try {
    await orm.migrator.up();
  } finally {
    await orm.close(true);
  }
}

/** Creates a complete account with each user, in the same transaction; with a referral code, also the referral. */
async function bindAccountsToUsers(client: pg.Client): Promise<void> {
  await client.query(`
    create or replace function public.open_account_of_user() returns trigger language plpgsql
      security definer set search_path = pg_catalog, public, pg_temp as $$
    begin
      perform public.open_account(new.id);
      perform public.attribute_referral(new.id, new.email, new."referralCode");
      return new;
    end $$;
    create or replace trigger user_opens_account after insert on auth."user"
      for each row execute function public.open_account_of_user();`);
}
