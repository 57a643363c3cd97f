import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  readonly name: string;
  /** As the superuser, who owns the schema. */
  readonly migrationUrl: string;
  /** As the role of the running service. */
  readonly runtimeUrl: string;
  /** Removes the database, cutting off whoever is still connected. */
  drop(): Promise<void>;
}

/**
 * A database of its own for the caller, migrated and empty: a clone of the run's template (about
 * 50 ms).
 *
 * @param from `template` for the migrated schema, `empty` for a database without any table.
 */
export async function createTestDatabase(from: 'template' | 'empty' = 'template'): Promise<TestDatabase> {
  const { migrationBaseUrl, runtimeBaseUrl, templateDatabase } = inject('testPostgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const source = from === 'template' ? templateDatabase : 'template1';
  const adminUrl = `${migrationBaseUrl}postgres`;
  await execute(adminUrl, `create database ${name} template ${source}`);

  return {
    name,
    migrationUrl: `${migrationBaseUrl}${name}`,
    runtimeUrl: `${runtimeBaseUrl}${name}`,
    drop: () => execute(adminUrl, `drop database if exists ${name} with (force)`),
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
