import pg from 'pg';
import { expect, test } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { migrate } from '../../../src/db/migrate.js';
import { pendingMigrations } from '../../../src/db/pendingMigrations.js';
import { migrations } from '../../../src/db/migrations/index.js';
import { createTestDatabase } from '../../support/database.js';

test('from empty, by two at once, and once more: one schema, and a service that knows it fits', async () => {
  const database = await createTestDatabase('empty');
  try {
    expect(await pending(database.runtimeUrl)).toEqual(migrations.map(({ name }) => name));

    await Promise.all([migrate(database), migrate(database)]);
    const made = await shapeOf(database.migrationUrl);
    await migrate(database);

    expect(await shapeOf(database.migrationUrl)).toEqual(made);
    expect(await pending(database.runtimeUrl)).toEqual([]);
  } finally {
    await database.drop();
  }
});

test('what an address says about TLS counts for the pool of the service', async () => {
  const database = await createTestDatabase();
  try {
    const url = `${database.runtimeUrl}?sslmode=no-verify`;
    // This server has none: going on in the clear would be the fault.
    await expect(PostgresDatabase.connect({ url, maxConnections: 1 })).rejects.toThrow('does not support SSL');
  } finally {
    await database.drop();
  }
});

async function pending(url: string): Promise<string[]> {
  const db = await PostgresDatabase.connect({ url, maxConnections: 1 });
  try {
    return await pendingMigrations(db.sql);
  } finally {
    await db.close();
  }
}

/** Every column, index, trigger and right. */
async function shapeOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(`
      select format('%s.%s %s %s', table_schema, table_name, column_name, data_type) as line
        from information_schema.columns where table_schema in ('public', 'auth', 'pgboss')
      union all select indexdef from pg_indexes where schemaname in ('public', 'auth', 'pgboss')
      union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all select format('%s %s', oid::regclass, relacl) from pg_class where relkind in ('r', 'p')
        and relnamespace in ('public'::regnamespace, 'auth'::regnamespace, 'pgboss'::regnamespace)
      order by 1`);
    return rows.map((row) => row.line);
  } finally {
    await client.end();
  }
}
