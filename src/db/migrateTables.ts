import type { Migration } from '@mikro-orm/migrations';
import pg from 'pg';

import { recordBaseline } from './baseline.js';
import { MigrationError, RESUME } from './migrationErrors.js';
import { migrations } from './migrations/index.js';
import { pendingMigrations } from './pendingMigrations.js';
import { sqlOn } from './sql.js';

/** What a migration does to the tables. */
export interface MigrationPlan {
  readonly name: string;
  /** False for what PostgreSQL cannot do in a transaction, such as creating an index concurrently. */
  readonly isTransactional: boolean;
  readonly statements: readonly string[];
}

/** As MikroORM's migrator creates it, so that its command line and earlier releases understand it. */
const JOURNAL = `
  create table if not exists "mikro_orm_migrations"
    ("id" serial primary key, "name" varchar(255) not null, "executed_at" timestamptz(6) not null default current_timestamp(6))`;

/**
 * For statements outside a transaction. They wait for old transactions without holding up anyone, so they may wait long.
 */
export const CONCURRENT_LOCK_TIMEOUT = '10min';

/**
 * Migrations that the database lacks, in their order. Only reads.
 *
 * @throws DatabaseTooOldError
 */
export async function pendingPlans(client: pg.Client): Promise<MigrationPlan[]> {
  const pending = new Set(await pendingMigrations(sqlOn(client)));
  return Promise.all(migrations.filter(({ name }) => pending.has(name)).map(planOf));
}

export async function planOf(MigrationOf: new (...given: never[]) => Migration): Promise<MigrationPlan> {
  // Migrations collect statements and need neither driver nor settings for that.
  const migration = new MigrationOf(undefined as never, undefined as never);
  await migration.up();
  const statements = migration.getQueries().map((query) => {
    if (typeof query !== 'string') throw new Error(`${MigrationOf.name} has a statement that is not SQL`);
    return query;
  });
  return { name: MigrationOf.name, isTransactional: migration.isTransactional(), statements };
}

export async function createJournal(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select where to_regclass('mikro_orm_migrations') is null`);
  if (rows.length > 0) await client.query(JOURNAL);
  await recordBaseline(client);
}

/**
 * Runs one migration: in its own transaction, or statement by statement if it cannot run in one. Then a repetition
 * must be able to start from its first statement.
 * After an error, the caller rolls back and resets the session.
 */
export async function runMigration(client: pg.Client, plan: MigrationPlan): Promise<void> {
  const { name, isTransactional } = plan;
  const [begin, commit] = isTransactional
    ? ['begin', 'commit']
    : [`set lock_timeout = '${CONCURRENT_LOCK_TIMEOUT}'`, 'reset lock_timeout'];
  await client.query(begin);
  for (const statement of plan.statements) await client.query(statement);
  await client.query('insert into mikro_orm_migrations (name) values ($1)', [name]);
  await client.query(commit);
}

/** An error of PostgreSQL, with the step that it stopped. Others, such as a lost connection, stay as they are. */
export function failedStep(step: string, error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const detail = error.detail === undefined ? '' : ` ${error.detail}`;
  return new MigrationError(step, `${step} failed: ${error.message}.${detail} ${RESUME}`, { cause: error });
}
