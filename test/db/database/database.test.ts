import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { isDatabaseUnavailable } from '../../../src/errors.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { CuttableProxy } from '../../support/uploads/cuttableProxy.js';

const KILL_MYSELF = { name: 'test-kill-myself', text: 'select pg_terminate_backend(pg_backend_pid())' };
const MY_PID = { name: 'test-my-pid', text: 'select pg_backend_pid() as pid' };
const PREPARED = { name: 'test-prepared', text: 'select name, statement from pg_prepared_statements' };
const RUNS_OF_MY_PID = {
  name: 'test-runs',
  text: `select sum(generic_plans + custom_plans) as runs from pg_prepared_statements where name = 'test-my-pid'`,
};

let database: TestDatabase;
let db: PostgresDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 2 });
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

it('the pool drops a connection that is lost inside a transaction', async () => {
  for (let round = 0; round < 5; round += 1) {
    await expect(db.transaction(({ sql }) => sql.query(KILL_MYSELF))).rejects.toThrow();
  }
  expect(await db.sql.query(MY_PID)).toHaveLength(1);
});

it('the pool drops a connection that is lost just before the commit, and the caller gets an error', async () => {
  for (let round = 0; round < 5; round += 1) {
    const committed = db.transaction(async ({ sql }) => {
      const [row] = await sql.query<{ pid: number }>(MY_PID);
      await kill(row!.pid);
    });
    await expect(committed).rejects.toThrow();
  }
  expect(await db.sql.query(MY_PID)).toHaveLength(1);
});

it('the pool drops a connection that is lost before its transaction has begun', async () => {
  const way = await CuttableProxy.to(database.runtimeUrl);
  const db = await PostgresDatabase.connect({ url: way.url, maxConnections: 2 });
  for (let round = 0; round < 5; round += 1) {
    await expect.poll(() => db.sql.query(MY_PID).catch(() => []), { timeout: 20_000 }).toHaveLength(1);
    // The pool does not know yet that the connection is lost, and hands it out.
    way.cut();
    const work = db.transaction(({ sql }) => sql.query(MY_PID));
    await expect(work).rejects.toSatisfy(isDatabaseUnavailable);
    way.mend();
  }
  expect(db.pool.totalCount).toBe(db.pool.idleCount);
  await db.close();
  await way.close();
});

it('the pool keeps a connection whose statement was refused', async () => {
  const pids = new Set<number>();
  for (let round = 0; round < 5; round += 1) {
    await expect(db.sql.query({ name: 'test-refused', text: 'select 1 / 0' })).rejects.toThrow('division by zero');
    const [row] = await db.sql.query<{ pid: number }>(MY_PID);
    pids.add(row!.pid);
  }
  expect(pids.size).toBe(1);
});

it('the pool drops a connection that is lost outside a transaction', async () => {
  for (let round = 0; round < 5; round += 1) await expect(db.sql.query(KILL_MYSELF)).rejects.toThrow();
  expect(await db.sql.query(MY_PID)).toHaveLength(1);
});

it('a statement keeps its name and its plan inside a transaction', async () => {
  const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
  const rounds = await Promise.all(
    Array.from({ length: 3 }, () =>
      db.transaction(async ({ sql }) => {
        await sql.query(MY_PID);
        return sql.query<{ statement: string }>(PREPARED);
      }),
    ),
  );
  for (const prepared of rounds) expect(prepared).toContainEqual({ name: MY_PID.name, statement: MY_PID.text });
  // All three rounds, and the one outside a transaction, use one name.
  const [row] = await db.sql.query<{ runs: string }>(RUNS_OF_MY_PID);
  expect(row).toEqual({ runs: '3' });
  await db.close();
});

async function kill(pid: number): Promise<void> {
  const client = new pg.Client({ connectionString: database.migrationUrl });
  await client.connect();
  await client.query('select pg_terminate_backend($1, 5000)', [pid]);
  await client.end();
}
