import pg from 'pg';

import { withBaseline } from './baseline.js';
import { migrations } from './migrations/index.js';
import { execute, type NoParams, type Sql, statement } from './sql.js';

/** PostgreSQL's errors for a database that was never migrated, or not for this role. */
const NEVER_MIGRATED = new Set(['42P01', '42501']);

const APPLIED = statement<NoParams, { name: string }>('migrations-applied', 'select name from mikro_orm_migrations');

/**
 * Names of this build's migrations that the database lacks; empty if it is up to date.
 *
 * @throws DatabaseTooOldError
 */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const names = migrations.map((migration) => migration.name);
  try {
    const applied = await execute(sql, APPLIED);
    const seen = withBaseline(new Set(applied.map((row) => row.name)));
    return names.filter((name) => !seen.has(name));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !NEVER_MIGRATED.has(error.code ?? '')) throw error;
    return names;
  }
}
