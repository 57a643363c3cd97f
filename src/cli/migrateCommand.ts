import pg from 'pg';

import { type Config, ConfigError } from '../config/config.js';
import { connectionTo } from '../db/connection.js';
import { PostgresDatabase } from '../db/database.js';
import { roleOf } from '../db/databaseAddress.js';
import { lastingFaultLines } from '../db/databaseFaults.js';
import { MIGRATION_LOCKS } from '../db/generated/migrationLocks.js';
import { migrate, type MigrationReport } from '../db/migrate.js';
import { pendingPlans } from '../db/migrateTables.js';
import { migrationFaults } from '../db/migrationFaults.js';
import { installVirtualClock, setClockOffset } from '../db/virtualClock.js';
import type { Logger } from '../logger.js';
import { openDatabase, type DatabaseAccess, type DatabaseUrls } from './databaseAccess.js';
import type { PreparedCommand } from './preparedCommand.js';
import { printer, type Print, type Terminal } from './terminal.js';
import { UsageError } from './usageError.js';

const USAGE = 'Usage: dhara migrate [--dry-run]';

/** @throws UsageError */
export function prepareMigrate(args: readonly string[], terminal: Terminal): PreparedCommand {
  const isDry = args[0] === '--dry-run';
  if (args.length > (isDry ? 1 : 0)) throw new UsageError(USAGE);
  return (config, logger) => runMigrate(isDry, config, logger, printer(terminal));
}

async function runMigrate(isDry: boolean, config: Config, logger: Logger, print: Print): Promise<number> {
  const database = await openDatabase(config, 'join', logger);
  try {
    if (isDry) {
      await printPending(database.migrationUrl, print);
    } else {
      await bringUpToDate(config, database, { done: print, waiting: print });
      print('The database is up to date.');
    }
  } finally {
    await database.close();
  }
  return 0;
}

/** Prints what `dhara migrate` would run. Only reads. */
async function printPending(migrationUrl: string, print: Print): Promise<void> {
  const client = new pg.Client(connectionTo(migrationUrl));
  await client.connect();
  try {
    await client.query('set default_transaction_read_only = on');
    const plans = await pendingPlans(client);
    for (const { name, isTransactional, statements } of plans) {
      print(`${name}, ${isTransactional ? 'one transaction' : 'outside a transaction'}:`);
      print(`  -- locks ${(MIGRATION_LOCKS[name] ?? []).join('; ') || 'no table that writers need'}`);
      for (const statement of statements) print(`${plainlyIndented(statement)};`);
      print('');
    }
    const count = plans.length === 1 ? '1 migration is' : `${plans.length === 0 ? 'No' : plans.length} migrations are`;
    print(`${count} pending. Nothing was changed.`);
  } finally {
    await client.end();
  }
}

/** Without the indentation of the source, and two spaces in. */
function plainlyIndented(statement: string): string {
  const lines = statement.trim().split('\n');
  const rest = lines.slice(1).filter((line) => line.trim() !== '');
  const depth = Math.min(...rest.map((line) => line.search(/\S/)), Number.MAX_SAFE_INTEGER);
  return lines
    .map((line, nth) => (nth === 0 ? line : line.slice(depth)))
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');
}

/** Migrates, and moves the service clock if a setting says so. */
export async function bringUpToDate(config: Config, database: DatabaseAccess, report?: MigrationReport): Promise<void> {
  const production = config.NODE_ENV === 'production';
  if (production) await refuseUnfitRoles(database);
  const { migrationUrl, runtimeUrl } = database;
  await migrate({ migrationUrl, runtimeUrl, production, ...(report && { report }) });
  if (config.CLOCK_OFFSET_SECONDS !== 0) {
    await installVirtualClock(migrationUrl);
    await setClockOffset(migrationUrl, config.CLOCK_OFFSET_SECONDS * 1000);
  }
}

/**
 * Before production migrates, refuses roles that would make the migrated database unfit to start on. So an upgrade that
 * would fail changes nothing.
 *
 * @throws ConfigError that says what to do
 */
async function refuseUnfitRoles({ migrationUrl, runtimeUrl }: DatabaseUrls): Promise<void> {
  const client = new pg.Client(connectionTo(migrationUrl));
  await client.connect();
  try {
    const faults = await migrationFaults(client, roleOf(runtimeUrl));
    if (faults.length > 0) {
      throw new ConfigError(
        `DATABASE_MIGRATION_URL: ${faults.join('; ')}. Nothing was changed. Hand the database over to an owner role first: docs/database.md, "Hand over the database"`,
      );
    }
  } finally {
    await client.end();
  }
  const db = await PostgresDatabase.connect({ url: runtimeUrl, maxConnections: 1 });
  try {
    const [fault] = await lastingFaultLines(db.sql);
    if (fault) throw new ConfigError(`DATABASE_URL: ${fault} Nothing was changed.`);
  } finally {
    await db.close();
  }
}
