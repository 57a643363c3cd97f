import { raw } from '@mikro-orm/core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import type { Transaction } from '../../../src/db/sql.js';
import { isDatabaseUnavailable } from '../../../src/errors.js';
import { BillingDetails } from '../../../src/domain/payments/billing/billingDetails.entity.js';
import { AuditEntry } from '../../../src/domain/shared/auditEntry.entity.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { CuttableProxy } from '../../support/uploads/cuttableProxy.js';
import { query } from '../../support/database/query.js';

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

it('its sessions have their limits and UTC, also if the address has its own settings', async () => {
  const url = `${database.runtimeUrl}?options=-c%20jit%3Doff%20-c%20timezone%3DAsia%2FKolkata`;
  const other = await PostgresDatabase.connect({ url, maxConnections: 1, statementTimeoutMs: 7000 });
  const text = `select current_setting('jit') as jit, current_setting('timezone') as zone,
    current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`;
  const rows = await other.sql.query({ name: 'test-settings', text });
  await other.close();
  expect(rows).toEqual([{ jit: 'off', zone: 'UTC', statement: '7s', idle: '1min' }]);
});

it('a database that does not exist is an error, and is not created, even by a role that may create it', async () => {
  const { superuserBaseUrl } = inject('testPostgres');
  const name = `${database.name}_missing`;
  const connecting = PostgresDatabase.connect({ url: `${superuserBaseUrl}${name}`, maxConnections: 1 });
  await expect(connecting).rejects.toMatchObject({ code: '3D000' });
  const found = await query(`${superuserBaseUrl}postgres`, 'select from pg_database where datname = $1', [name]);
  expect(found).toEqual([]);
});

it('the first entity manager of a pool with one connection works inside a transaction', async () => {
  const other = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
  await other.transaction(({ em }) => em().count(AuditEntry));
  await other.close();
});

it('closing ends the pool, whatever was used', async () => {
  for (const mayBeDown of [false, true]) {
    const other = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1, mayBeDown });
    const { rows } = await other.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    await other.close();
    expect(other.pool.ended).toBe(true);
    const remaining = 'select from pg_stat_activity where pid = $1';
    await expect.poll(() => query(database.migrationUrl, remaining, [rows[0]!.pid])).toEqual([]);
  }
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
    await expect.poll(() => db.sql.query(MY_PID).catch(() => [])).toHaveLength(1);
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

it('a value that cannot be sent fails its statement, and neither the process nor the pool', async () => {
  const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
  const uncaught: unknown[] = [];
  const keep = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', keep);
  const endless: Record<string, unknown> = {};
  endless['self'] = endless;
  for (let round = 0; round < 3; round += 1) {
    const failed = db.sql.query({ name: 'test-value', text: 'select $1::jsonb as value' }, [endless]);
    await expect(failed).rejects.toThrow('circular');
    // On a new connection, which begins after the one before is closed.
    expect(await db.sql.query(MY_PID)).toHaveLength(1);
  }
  await db.close();
  process.off('uncaughtException', keep);
  expect(uncaught).toEqual([]);
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

describe('entities inside a transaction', () => {
  it('are on its connection: they are committed and rolled back with its statements', async () => {
    const accountId = newId();
    const find = () => db.em().findOne(BillingDetails, { accountId });
    const write = async ({ sql, em }: Transaction) => {
      await em().insert(BillingDetails, { ...details(accountId), updatedAt: raw<Date>('service_now()') });
      const [row] = await sql.query<{ legal_name: string }>(
        { name: '', text: 'select legal_name from billing_details where account_id = $1' },
        [accountId],
      );
      expect(row).toEqual({ legal_name: 'Ada' });
      // Nobody else sees it before the commit.
      expect(await find()).toBeNull();
    };

    const failed = db.transaction(async (tx) => {
      await write(tx);
      throw new Error('not this time');
    });
    await expect(failed).rejects.toThrow('not this time');
    expect(await find()).toBeNull();

    await db.transaction(write);
    expect(await find()).toMatchObject({ legalName: 'Ada', updatedAt: expect.any(Date) as Date });
  });

  it('that are flushed or refused end neither the transaction nor the connection by themselves', async () => {
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
    const accountId = newId();
    await db.transaction(async ({ em }) => {
      const manager = em();
      const made = manager.create(BillingDetails, { ...details(accountId), updatedAt: new Date() });
      await manager.persist(made).flush();
      made.legalName = 'Grace';
      await manager.flush();
      // Another entity manager finds what is stored, not what this one remembers.
      expect(await em().findOne(BillingDetails, { accountId })).toMatchObject({ legalName: 'Grace' });
    });

    const again = db.transaction(({ em }) =>
      em().insert(BillingDetails, { ...details(accountId), updatedAt: new Date() }),
    );
    await expect(again).rejects.toMatchObject({ code: '23505' });
    // The one connection there is still serves.
    expect(await db.sql.query(MY_PID)).toHaveLength(1);
    expect(db.pool.totalCount).toBe(1);
    await db.close();
  });

  it('say so when the connection is lost, and it leaves the pool', async () => {
    for (let round = 0; round < 3; round += 1) {
      const lost = db.transaction(async ({ sql, em }) => {
        const [row] = await sql.query<{ pid: number }>(MY_PID);
        await kill(row!.pid);
        await em().findOne(AuditEntry, { accountId: newId() });
      });
      await expect(lost).rejects.toSatisfy(isDatabaseUnavailable);
    }
    expect(await db.sql.query(MY_PID)).toHaveLength(1);
  });
});

it.each([
  `'; drop table billing_details; --`,
  `\\'; select 1; --`,
  `it's ? and ?? and $1 and :name`,
  `E'\\x41' — “ü” 🎬`,
  'a\\nb\nc',
])('an entity holds %j as it is', async (legalName) => {
  const accountId = newId();
  // MikroORM loses line breaks inside arrays; those that we store hold lines.
  const addressLines = [...legalName.split('\n'), 'a,b', '{"x"}', ''];
  const insert = () =>
    db
      .em()
      .createQueryBuilder(BillingDetails)
      .insert({ ...details(accountId), legalName, addressLines, updatedAt: raw('service_now()') })
      .onConflict('accountId')
      .merge()
      .execute();
  await insert();
  await insert();
  expect(await db.em().findOne(BillingDetails, { accountId })).toMatchObject({
    legalName,
    addressLines,
  });
  const id = newId();
  const entry = { accountId, id, actorId: null, action: 'x', subject: legalName, reason: legalName };
  await db.em().insert(AuditEntry, { ...entry, details: { [legalName]: legalName }, createdAt: raw('service_now()') });
  expect(await db.em().findOne(AuditEntry, { accountId, id })).toMatchObject({
    ...entry,
    details: { [legalName]: legalName },
  });
});

function details(accountId: string) {
  return { accountId, legalName: 'Ada', addressLines: ['1 Main St'], country: 'GB' };
}

async function kill(pid: number): Promise<void> {
  await query(database.migrationUrl, 'select pg_terminate_backend($1, 5000)', [pid]);
}
