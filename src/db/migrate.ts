import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import { migrateIdentity } from '../adapters/identity/migrateIdentity.js';
import { arrangePaymentSandbox } from '../adapters/payments/sandbox/migrateSandbox.js';
import { migrateQueue } from '../adapters/queue/migrateQueue.js';
import { bindNoticesToUsers } from '../domain/accounts/notices/securityNotices.js';
import { installLedger } from '../domain/ledger/ledgerFunctions.js';
import { connectionTo } from './connection.js';
import { roleOf, sessionUrl } from './databaseAddress.js';
import { dropForeignCommands, grantRuntimeRole } from './grants.js';
import { LOCK_RETRIES, type LockRetries, withLockRetries } from './lockRetries.js';
import { CONCURRENT_LOCK_TIMEOUT, createJournal, failedStep, pendingPlans, runMigration } from './migrateTables.js';
import { execute, sqlOn, statement } from './sql.js';
import { renewVirtualClock } from './virtualClock.js';

/** Told in plain words, one line each. */
export interface MigrationReport {
  readonly done?: (line: string) => void;
  /** The run waits for somebody else. */
  readonly waiting?: (line: string) => void;
}

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
  report?: MigrationReport;
  retries?: LockRetries;
}

/** An arbitrary number. Processes that start together take turns by this lock. */
const MIGRATION_LOCK = 7_140_911;
const TURN_POLL_MS = 250;
const APPLICATION = 'dhara migrate';

/**
 * Migrates a database to the current version, from empty or from any earlier version, while the service runs.
 * Idempotent: a run that was killed is continued by the next.
 *
 * Each migration runs in its own transaction. Nothing waits for a lock for long, because those who come later would wait
 * behind it.
 *
 * @returns how many migrations it ran
 * @throws MigrationError
 */
export async function migrate(options: MigrateOptions): Promise<number> {
  const { report = {}, retries = LOCK_RETRIES } = options;
  const application = `${APPLICATION} ${process.pid}.${performance.now().toFixed(0)}`;
  const url = sessionUrl(options.migrationUrl, application, { lock_timeout: `${retries.lockTimeoutMs}ms` });
  const role = roleOf(options.runtimeUrl);
  const client = new pg.Client({ ...connectionTo(url), keepAlive: true });
  // A connection that is lost between statements fails the next one.
  client.on('error', () => undefined);
  await client.connect();
  // A killed run ends its statement at once, so that the next one has its turn. Not every server can look.
  await client.query(`set client_connection_check_interval = '1s'`).catch(() => undefined);
  const step = (name: string, work: () => Promise<void>): Promise<void> => {
    const resumable = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        // A lost connection rolls back by itself.
        await client.query('rollback; reset lock_timeout').catch(() => undefined);
        throw error;
      }
    };
    return withLockRetries(name, resumable, {
      retries,
      application,
      url: sessionUrl(options.migrationUrl, `${APPLICATION} watch`, {}),
      waiting: (line) => report.waiting?.(line),
    }).catch((error: unknown) => {
      throw failedStep(name, error);
    });
  };
  try {
    await takeTurn(client, report);
    const plans = await pendingPlans(client);
    await step('Checking the queue', () => dropForeignCommands(client, role));
    await step('Listing migrations', () => createJournal(client));
    for (const plan of plans) {
      const startedAt = performance.now();
      await step(plan.name, () => runMigration(client, plan));
      report.done?.(`${plan.name}: done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    }
    await step('Arranging the payment sandbox', () => arrangePaymentSandbox(client, options.production ?? false));
    await step('Migrating the identity tables', () => migrateIdentity(url));
    await step('Indexing sessions', () => indexSessions(client));
    await step('Migrating the queue', () => migrateQueue(url));
    await step('Binding accounts to users', () => bindAccountsToUsers(client));
    await step('Binding emails to users', () => bindNoticesToUsers(sqlOn(client)));
    await step('Installing the ledger', () => installLedger(sqlOn(client)));
    await step('Renewing the clock', () => renewVirtualClock(client));
    await step('Granting rights', () => grantRuntimeRole(client, role));
    return plans.length;
  } finally {
    await client.end();
  }
}

const TAKE_TURN = statement<{ key: number }, { taken: boolean }>(
  'migration-take-turn',
  'select pg_try_advisory_lock(:key) as taken',
);
const TURN_OF = statement<{ key: number }, { pid: number }>(
  'migration-turn-of',
  `
    select l.pid from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and l.granted and l.objid = :key and d.datname = current_database()`,
);

/**
 * Waits for other runs on this database. The lock ends with the session that migrates. A statement that waits in
 * PostgreSQL would hold up indexes that are created concurrently, so this asks again instead.
 */
async function takeTurn(client: pg.Client, report: MigrationReport): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    const [lock] = await execute(sqlOn(client), TAKE_TURN, { key: MIGRATION_LOCK });
    if (lock?.taken) return;
    if (!isTold) report.waiting?.(`Another run migrates this database${await turnOf(client)}. Waiting for it to end.`);
    await delay(TURN_POLL_MS);
  }
}

async function turnOf(client: pg.Client): Promise<string> {
  const [other] = await execute(sqlOn(client), TURN_OF, { key: MIGRATION_LOCK });
  return other ? ` (process ${other.pid})` : '';
}

/**
 * Creates an index for finding expired sessions, which better-auth lacks. Concurrently, so that nobody who signs in waits.
 * Drops the invalid index of a failed attempt first.
 */
async function indexSessions(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select from pg_index where indexrelid = to_regclass('auth.session_expiry') and indisvalid`,
  );
  if (rows.length > 0) return;
  await client.query(`set lock_timeout = '${CONCURRENT_LOCK_TIMEOUT}'`);
  await client.query('drop index concurrently if exists auth.session_expiry');
  await client.query('create index concurrently session_expiry on auth.session ("expiresAt")');
  await client.query('reset lock_timeout');
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
    do $$
    begin
      -- Replacing it would wait for every user of the table, and hold up every sign-up behind it.
      if not exists (select from pg_trigger where tgrelid = 'auth."user"'::regclass and tgname = 'user_opens_account') then
        create trigger user_opens_account after insert on auth."user"
          for each row execute function public.open_account_of_user();
      end if;
    end $$`);
}
