import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import * as sandbox from '../../../src/adapters/payments/sandbox/sandbox.sql.js';
import { systemClock } from '../../../src/adapters/clock/systemClock.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { execute } from '../../../src/db/sql.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { mendStoredTimes } from '../../../src/domain/media/objects/storedObject.sql.js';
import { ClockService } from '../../../src/domain/shared/clock/clock.service.js';
import * as inbox from '../../../src/domain/payments/inbox/inbox.sql.js';
import * as refunds from '../../../src/domain/payments/refunds/refund.sql.js';
import * as chunks from '../../../src/domain/media/pipeline/chunk.sql.js';
import * as leftovers from '../../../src/domain/media/pipeline/leftovers.sql.js';
import * as nights from '../../../src/domain/payments/storage/night.sql.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const YEAR_MS = 365 * 86_400_000;
const HOUR_MS = 3_600_000;
const NIL = '00000000-0000-0000-0000-000000000000';
const ID = '0198c0de-0000-7000-8000-000000000001';

let database: TestDatabase;
let db: PostgresDatabase;
let admin: pg.Client;
let clock: ClockService;

beforeEach(async () => {
  database = await createTestDatabase();
  database.leaveUnproven('its rows are invented');
  await installVirtualClock(database.migrationUrl);
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 2 });
  admin = new pg.Client({ connectionString: database.migrationUrl });
  await admin.connect();
  await admin.query('set session_replication_role = replica');
  clock = new ClockService({ db, machine: systemClock(), mendStored: mendStoredTimes });
  expect(await clock.look()).toBe(true);
});
afterEach(async () => {
  await db?.close();
  await admin?.end();
  await database?.drop();
});

interface Kind {
  readonly table: string;
  /** The columns that matter, as SQL; the rest is made up. */
  readonly row: Readonly<Record<string, string>>;
  /** The statement that looks for work of this kind. */
  readonly due: { readonly name: string; readonly text: string };
  readonly values?: readonly unknown[];
}

/** What work begun at `service_now()` leaves in the database. */
const KINDS: Readonly<Record<string, Kind>> = {
  'a payment’s webhook': {
    table: 'webhook_event',
    row: { status: `'received'`, next_attempt_at: 'service_now()' },
    due: inbox.INBOX_NEXT,
  },
  'a webhook that waits for its payment': {
    table: 'webhook_event',
    row: {
      status: `'waiting'`,
      received_at: `service_now() - interval '365 days'`,
      next_attempt_at: `service_now() + interval '365 days'`,
    },
    due: inbox.INBOX_NEXT,
  },
  'a webhook of the sandbox': {
    table: 'payment_sandbox_webhook',
    row: { due_at: `service_now() + interval '10 seconds'` },
    due: sandbox.NEXT_DUE,
  },
  'a refund that the provider is asked for': {
    table: 'refund_request',
    row: { status: `'requested'`, next_attempt_at: `service_now() + interval '1 minute'` },
    due: refunds.NEXT_DUE,
  },
  'a bonus for a referrer': {
    table: 'referral_outbox',
    row: { account_id: `'${ID}'`, kind: `'joined'`, deliver_after: 'service_now()' },
    due: { name: 'test-bonus', text: 'select from referral_outbox where deliver_after <= service_now()' },
  },
  'an attempt whose job is lost': {
    table: 'processing',
    row: { state: `'queued'`, queued_at: 'service_now()', updated_at: 'service_now()' },
    due: leftovers.OPEN_ATTEMPTS,
    values: [NIL, NIL, 0],
  },
  'an upload that was not measured': {
    table: 'video',
    row: { status: `'uploaded'`, source_key: `'x'`, updated_at: 'service_now()' },
    due: leftovers.STUCK_MEASURES,
  },
  'a chosen quality that was not bought': {
    table: 'video',
    row: {
      status: `'uploaded'`,
      auto_process: 'true',
      attempt: '0',
      duration_ms: '1000',
      source_key: `'x'`,
      updated_at: 'service_now()',
    },
    due: leftovers.UNBOUGHT_CHOICES,
  },
  'output that waits for the sweep': {
    table: 'processing_output',
    row: { sweep_after: `service_now() + interval '10 minutes'` },
    due: leftovers.DUE_OUTPUTS,
    values: ['-infinity', ''],
  },
  'a chunk that waits for the sweep': {
    table: 'processing_chunk',
    row: { state: `'over'`, sweep_after: `service_now() + interval '1 hour'` },
    due: chunks.DUE,
  },
  'a chunk whose worker is lost': {
    table: 'processing_chunk',
    row: { state: `'claimed'`, reported_at: 'service_now()' },
    due: {
      name: 'test-silent',
      text: `select from processing_chunk where state = 'claimed' and reported_at < service_now() - interval '10 minutes'`,
    },
  },
  'an upload that was given up': {
    table: 'upload',
    row: { expires_at: `service_now() + interval '1 day'` },
    due: { name: 'test-given-up', text: 'select from upload where expires_at <= service_now()' },
  },
  'the measurement of a night': {
    table: 'storage_night',
    row: { finished_at: 'service_now()', measuring_since: 'service_now()' },
    due: nights.CLAIM_MEASUREMENT,
  },
  'a signing key that is about to sign': {
    table: 'playback_signing_key',
    row: { signs_from: `service_now() + interval '1 minute'` },
    due: { name: 'test-signs', text: 'select from playback_signing_key where signs_from <= service_now()' },
  },
  'an email that waits to be sent': {
    table: 'notice',
    row: { send_after: 'service_now()' },
    due: { name: 'test-email', text: 'select from notice where send_after <= service_now()' },
  },
  'a top-up that the provider is asked about': {
    table: 'topup',
    row: {
      status: `'open'`,
      next_check_at: `service_now() + interval '10 minutes'`,
      expires_at: `service_now() + interval '1 day'`,
    },
    due: { name: 'test-check', text: 'select from topup where next_check_at <= service_now()' },
  },
};

describe('work begun while the clock was a year ahead', () => {
  it.each(Object.entries(KINDS))(
    'is due again once the clock is set right: %s',
    async (_, { table, row, due, values = [] }) => {
      await setClockOffset(database.migrationUrl, YEAR_MS);
      await insert(table, row);
      await setClockOffset(database.migrationUrl, 48 * HOUR_MS);
      expect(await db.sql.query(due, values)).toEqual([]);
      await setClockOffset(database.migrationUrl, 0);
      await clock.look();
      await setClockOffset(database.migrationUrl, 48 * HOUR_MS);
      expect(await db.sql.query(due, values)).toHaveLength(1);
    },
  );

  it('includes an escrow without a job, which is found without changing its creation time', async () => {
    await setClockOffset(database.migrationUrl, YEAR_MS);
    await insert('escrow', { status: `'locked'`, created_at: 'service_now()' });
    await setClockOffset(database.migrationUrl, 0);
    expect(await execute(db.sql, leftovers.ORPHANED_ESCROWS)).toHaveLength(1);
  });

  it('includes the job queue, whose monitoring and schedule would otherwise pause for a year', async () => {
    await admin.query(
      `update pgboss.version set cron_on = now() + interval '1 year', flow_on = now() + interval '1 year'`,
    );
    await admin.query(`update pgboss.queue set monitor_claim_on = now() + interval '1 year', maintain_on = now()`);
    await clock.look();
    const { rows } = await admin.query(
      `select cron_on <= now() and flow_on <= now() as version, (select bool_and(monitor_claim_on <= now()) from pgboss.queue) as queue
        from pgboss.version`,
    );
    expect(rows).toEqual([{ version: true, queue: true }]);
  });

  it('includes two-factor lockouts: one of a year ends, one of 15 minutes stays', async () => {
    const lock = `insert into auth."twoFactor" (id, "userId", secret, "backupCodes", "lockedUntil")
      values (gen_random_uuid(), gen_random_uuid(), 'x', 'x', now() + $1::interval)`;
    for (const span of ['365 days', '15 minutes']) await admin.query(lock, [span]);
    await clock.look();
    const { rows } = await admin.query(
      `select "lockedUntil" > clock_timestamp() as locked from auth."twoFactor" order by "lockedUntil"`,
    );
    expect(rows).toEqual([{ locked: false }, { locked: true }]);
  });
});

describe('a clock that is behind', () => {
  it('changes no due time', async () => {
    await insert('notice', { send_after: `service_now() + interval '1 hour'` });
    await setClockOffset(database.migrationUrl, -YEAR_MS);
    expect(await clock.look()).toBe(false);
    await setClockOffset(database.migrationUrl, 0);
    const { rows } = await admin.query<{ waits: boolean }>('select send_after > service_now() as waits from notice');
    expect(rows).toEqual([{ waits: true }]);
  });
});

const MADE_UP: Readonly<Record<string, string>> = {
  uuid: `'${ID}'`,
  text: `'x'`,
  integer: '1',
  bigint: '1',
  smallint: '1',
  boolean: 'false',
  date: `'2031-01-01'`,
  bytea: `''`,
  jsonb: `'{}'`,
  ARRAY: `'{}'`,
  'double precision': '1',
  'timestamp with time zone': 'service_now()',
};

async function insert(table: string, row: Readonly<Record<string, string>>): Promise<void> {
  const { rows } = await admin.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
      where table_schema = 'public' and table_name = $1 and is_nullable = 'NO' and column_default is null
        and is_generated = 'NEVER'`,
    [table],
  );
  const { rows: checks } = await admin.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
    [table],
  );
  for (const { name } of checks) await admin.query(`alter table ${table} drop constraint ${name}`);
  const made = Object.fromEntries(rows.map(({ name, type }) => [name, MADE_UP[type] ?? `'x'`]));
  const all = Object.entries({ ...made, ...row });
  await admin.query(
    `insert into ${table} (${all.map(([name]) => name).join(', ')}) values (${all.map(([, value]) => value).join(', ')})`,
  );
}
