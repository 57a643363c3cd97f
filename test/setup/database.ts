import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

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
    drop: () => drop(adminUrl, name),
  };
}

const GOODBYE_MS = 500;

/** A pool that was ended is still saying goodbye: cut off in the middle of it, its client would fail the whole run. */
async function drop(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const deadline = performance.now() + GOODBYE_MS;
    for (;;) {
      const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [name]);
      if (rowCount === 0 || performance.now() > deadline) break;
      await delay(10);
    }
    await client.query(`drop database if exists ${name} with (force)`);
  } finally {
    await client.end();
  }
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
