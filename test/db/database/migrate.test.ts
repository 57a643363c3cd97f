import pg from 'pg';
import { describe, expect, it, test } from 'vitest';

import { systemClock } from '../../../src/adapters/clock/systemClock.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { migrate } from '../../../src/db/migrate.js';
import { pendingMigrations } from '../../../src/db/pendingMigrations.js';
import { migrations } from '../../../src/db/migrations/index.js';
import { mendStoredTimes } from '../../../src/domain/media/objects/storedObject.sql.js';
import { ClockService } from '../../../src/domain/shared/clock/clock.service.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { createTestDatabase } from '../../support/database.js';
import { query } from '../../support/database/query.js';

test('migrations make one schema, run from empty by two processes and once more, and the service accepts it', async () => {
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

describe('the tables of the payment sandbox', () => {
  it('are absent after a migration in production, and the ledger and the clock work without them', async () => {
    const database = await createTestDatabase('empty');
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
    try {
      await migrate({ ...database, production: true });
      expect(await sandboxTables(db)).toEqual([]);
      expect((await verifyLedger(db)).faults).toEqual([]);
      expect(await new ClockService({ db, machine: systemClock(), mendStored: mendStoredTimes }).look()).toBe(true);

      await migrate({ ...database, production: true });
      expect(await sandboxTables(db)).toEqual([]);
    } finally {
      await db.close();
      await database.drop();
    }
  });

  it('are restored, unchanged, when development uses a database of production', async () => {
    const database = await createTestDatabase();
    try {
      const made = await shapeOf(database.migrationUrl);
      await migrate({ ...database, production: true });
      expect(await shapeOf(database.migrationUrl)).not.toEqual(made);
      await migrate(database);
      expect(await shapeOf(database.migrationUrl)).toEqual(made);
    } finally {
      await database.drop();
    }
  });

  it('keep their rows, in development and in production', async () => {
    const database = await createTestDatabase();
    const owner = new pg.Client({ connectionString: database.migrationUrl });
    await owner.connect();
    try {
      await owner.query(
        `insert into payment_sandbox_order
        values ('order_1', 'stripe', $1, $1, 500, 'USD', 'Credits', 'a@example.com', 'http://localhost/', now(), now())`,
        ['0198c0de-0000-7000-8000-000000000001'],
      );
      for (const production of [false, true]) {
        await migrate({ ...database, production });
        const { rows } = await owner.query('select order_id from payment_sandbox_order');
        expect(rows).toEqual([{ order_id: 'order_1' }]);
      }
    } finally {
      await owner.end();
      await database.drop();
    }
  });
});

test('the pool of the service obeys the TLS mode of its address', async () => {
  const database = await createTestDatabase();
  try {
    const url = `${database.runtimeUrl}?sslmode=no-verify`;
    // This server has no TLS: connecting in the clear would be the fault.
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

async function sandboxTables(db: PostgresDatabase): Promise<string[]> {
  const rows = await db.sql.query<{ name: string }>({
    name: 'test-sandbox-tables',
    text: `select relname as name from pg_class where relname like 'payment_sandbox%'`,
  });
  return rows.map(({ name }) => name);
}

/** Every column, index, trigger and right. */
async function shapeOf(url: string): Promise<string[]> {
  const rows = await query<{ line: string }>(
    url,
    `
      select format('%s.%s %s %s', table_schema, table_name, column_name, data_type) as line
        from information_schema.columns where table_schema in ('public', 'auth', 'pgboss')
      union all select indexdef from pg_indexes where schemaname in ('public', 'auth', 'pgboss')
      union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all select format('%s %s', oid::regclass, relacl) from pg_class where relkind in ('r', 'p')
        and relnamespace in ('public'::regnamespace, 'auth'::regnamespace, 'pgboss'::regnamespace)
      order by 1`,
  );
  return rows.map((row) => row.line);
}
