import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { migrateIdentity } from '../../../src/adapters/identity/migrateIdentity.js';
import { migrateQueue } from '../../../src/adapters/queue/migrateQueue.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { migrate } from '../../../src/db/migrate.js';
import { baseline } from '../../../src/db/migrations/index.js';
import { REPLACED } from '../../../src/db/migrations/replaced.js';
import { ormOptions } from '../../../src/db/orm.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const CREDIT = 1_000_000;
const DEMO_EMAIL = 'demo@dhara.localhost';

let database: TestDatabase;
let owner: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase('empty');
  owner = new pg.Client({ connectionString: database.migrationUrl });
  await owner.connect();
});

afterEach(async () => {
  await owner?.end();
  await database?.drop();
});

/** The tables that the replaced migrations made. */
async function migrateAsBefore(): Promise<void> {
  const orm = await MikroORM.init(ormOptions({ url: database.migrationUrl, maxConnections: 1 }));
  await orm.migrator.up({ to: baseline.at(-1)!.name });
  await orm.close(true);
  await migrateIdentity(database.migrationUrl);
  await migrateQueue(database.migrationUrl);
  await owner.query('delete from mikro_orm_migrations');
}

/** Their journal. What is posted from now on was posted when there were approvals. */
async function recordReplaced(): Promise<void> {
  await owner.query(
    'insert into mikro_orm_migrations (name, executed_at) select name, clock_timestamp() from unnest($1::text[]) name',
    [REPLACED],
  );
}

async function one<Row extends object>(text: string, values: unknown[] = []): Promise<Row> {
  return (await owner.query<Row>(text, values)).rows[0]!;
}

async function account(email: string): Promise<string> {
  const { id } = await one<{ id: string }>(
    `insert into auth."user" (email, name, "emailVerified") values ($1, 'A', true) returning id`,
    [email],
  );
  await owner.query('select open_account($1)', [id]);
  return id;
}

/** Posts as the first release did: straight into the tables, with the hash over the amounts. */
async function post(
  ownerId: string,
  posting: { type: string; key: string; deltas: [number, number][]; reference?: string; metadata?: object },
): Promise<string> {
  const { type, key, deltas, reference = null, metadata = {} } = posting;
  const txId = newId();
  const hashed = JSON.stringify([type, reference, deltas.map(([no, delta]) => [no, String(delta)])]);
  await owner.query(
    `with tx as (
       insert into ledger_tx (owner_id, type, idempotency_key, tx_id, request_hash, reference, metadata, created_at)
       values ($1, $2, $3, $4, sha256(convert_to($5, 'UTF8')), $6, $7, service_now()) returning created_at
     ), changed as (
       update ledger_account a set balance = balance + delta, version = version + 1
       from unnest($8::smallint[], $9::bigint[]) u(account_no, delta)
       where a.owner_id = $1 and a.account_no = u.account_no returning a.account_no, version, balance, delta
     )
     insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
     select $1, account_no, version, $4, delta, balance, created_at from changed cross join tx`,
    [ownerId, type, key, txId, hashed, reference, metadata, deltas.map(([no]) => no), deltas.map(([, d]) => d)],
  );
  return txId;
}

/** One video's job: locked, and then partly settled or released. */
async function job(ownerId: string, end: 'settled' | 'released'): Promise<void> {
  const video = newId();
  const locked = 10 * CREDIT;
  const settled = end === 'settled' ? 4 * CREDIT : 0;
  await owner.query(
    `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, state, queued_at, updated_at)
     values ($1, $2, 1, gen_random_uuid(), '720p', $3, $4, now(), now())`,
    [ownerId, video, locked, end === 'settled' ? 'succeeded' : 'failed'],
  );
  await owner.query(
    `insert into escrow (account_id, video_id, attempt, bucket, locked_micros, settled_micros, status, created_at, resolved_at)
     values ($1, $2, 1, 4, $3, $4, $5, now(), now())`,
    [ownerId, video, locked, settled, end],
  );
  const step = (name: string, type: string, deltas: [number, number][]) =>
    post(ownerId, { type, key: `escrow:${name}:${video}:1`, reference: video, deltas });
  await step('lock', 'ESCROW_LOCK', [
    [4, -locked],
    [10, locked],
  ]);
  if (end === 'released') {
    await step('release', 'ESCROW_RELEASE', [
      [4, locked],
      [10, -locked],
    ]);
  } else {
    await step('settle', 'ESCROW_SETTLE', [
      [4, locked - settled],
      [10, -locked],
      [61, settled],
    ]);
  }
}

/** An adjustment by staff that only the audit trail records. */
async function adjust(ownerId: string, actorId: string, credits: number, key: string): Promise<void> {
  const reason = `For "${key}"`;
  const txId = await post(ownerId, {
    type: 'ADJUSTMENT',
    key: `adjustment:${key}`,
    deltas: [
      [1, credits * CREDIT],
      [64, -credits * CREDIT],
    ],
    metadata: { reason },
  });
  await owner.query(
    `insert into audit_entry (account_id, id, actor_id, action, subject, reason, details)
     values ($1::uuid, gen_random_uuid(), $2, 'wallet.adjust', $1::uuid::text, $3, $4)`,
    [ownerId, actorId, reason, { amount: String(credits), transaction: txId }],
  );
}

async function faults(): Promise<string[]> {
  const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
  try {
    return (await verifyLedger(db)).faults.map(({ check, subject, found }) => `${check}: ${subject}: ${found}`);
  } finally {
    await db.close();
  }
}

it('books of the first release verify, and a forgery in its format made today does not', async () => {
  await migrateAsBefore();
  const demo = await account(DEMO_EMAIL);
  const staff = await account('staff@example.com');
  await post(demo, {
    type: 'ADJUSTMENT',
    key: 'adjustment:demo:credits',
    deltas: [
      [1, 500 * CREDIT],
      [64, -500 * CREDIT],
    ],
    metadata: { reason: 'Credits to try Dhara with' },
  });
  await post(demo, {
    type: 'ALLOCATION',
    key: 'allocation:demo:CREATIVE',
    deltas: [
      [1, -200 * CREDIT],
      [4, 200 * CREDIT],
    ],
  });
  await job(demo, 'settled');
  await job(demo, 'released');
  await adjust(demo, staff, 7, 'ticket 1');
  await adjust(demo, staff, -2.5, 'ticket 2');
  await recordReplaced();

  await migrate(database);
  expect(await faults()).toEqual([]);

  await adjust(demo, staff, 7, 'ticket 3');
  await adjust(demo, demo, 1, 'ticket 4');
  expect(await faults()).toEqual([
    expect.stringMatching(/^adjustment-before-approvals: adjustment:ticket 3: /),
    expect.stringMatching(/^adjustment-before-approvals: adjustment:ticket 4: /),
  ]);
});

it('a development clock of an earlier release is migrated with its offset', async () => {
  await migrateAsBefore();
  await recordReplaced();
  await owner.query(`
    create table virtual_clock (only_row boolean primary key default true check (only_row), offset_ms bigint not null);
    insert into virtual_clock (offset_ms) values (3600000);
    create or replace function service_now() returns timestamptz
      language plpgsql volatile security definer set search_path = public as $$
    begin
      return clock_timestamp() + (select offset_ms from virtual_clock) * interval '1 millisecond';
    end $$`);
  await migrate(database);
  expect(await faults()).toEqual([]);
  expect(await one(`select (service_now() > now() + interval '59 minutes') as is_moved`)).toEqual({ is_moved: true });
});
