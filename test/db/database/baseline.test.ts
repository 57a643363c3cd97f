import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DatabaseTooOldError } from '../../../src/db/baseline.js';
import { migrate } from '../../../src/db/migrate.js';
import { createJournal, pendingPlans, planOf, runMigration } from '../../../src/db/migrateTables.js';
import { baseline, migrations } from '../../../src/db/migrations/index.js';
import { REPLACED } from '../../../src/db/migrations/replaced.js';
import { arrangePaymentSandbox } from '../../../src/adapters/payments/sandbox/migrateSandbox.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { schemaLines } from '../../support/database/schemaLines.js';
import { dhara } from '../../support/terminal.js';

/** Recorded from a database that ran the replaced migrations of commit dd3e157b. Nothing regenerates it. */
const RECORDED = join(import.meta.dirname, 'baselineSchema.txt');
const NAMES = migrations.map(({ name }) => name);
const BASELINE = baseline.map(({ name }) => name);
const LATER = NAMES.slice(BASELINE.length);

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

async function runBaseline(count = baseline.length): Promise<void> {
  await createJournal(owner);
  for (const migration of baseline.slice(0, count)) await runMigration(owner, await planOf(migration));
}

/** The journal of a database that ran these replaced migrations. */
async function journalOf(names: readonly string[]): Promise<void> {
  await createJournal(owner);
  await owner.query('delete from mikro_orm_migrations');
  await owner.query('insert into mikro_orm_migrations (name) select unnest($1::text[])', [names]);
}

async function journal(): Promise<{ name: string; at: string }[]> {
  const { rows } = await owner.query<{ name: string; at: string }>(
    'select name, executed_at::text as at from mikro_orm_migrations order by id',
  );
  return rows;
}

const pending = async (): Promise<string[]> => (await pendingPlans(owner)).map(({ name }) => name);

function runDhara(...args: string[]): ReturnType<typeof dhara> {
  return dhara(args, { DATABASE_URL: database.runtimeUrl, DATABASE_MIGRATION_URL: database.migrationUrl });
}

describe('the baseline', () => {
  it('makes the schema and the rows that the replaced migrations made', async () => {
    await runBaseline();
    await arrangePaymentSandbox(owner, false);
    expect(`${(await schemaLines(owner, { rights: false })).join('\n')}\n`).toBe(await readFile(RECORDED, 'utf8'));

    const { rows } = await owner.query(`
      select
        (select array_agg(account_no order by account_no) from ledger_account
          where owner_id = '00000000-0000-0000-0000-000000000000' and balance = 0 and version = 0) as "nilWallet",
        (select count(*)::int from ledger_account) as "ledgerAccounts",
        (select array_agg(day = (started_at at time zone 'UTC')::date - 1 and finished_at = started_at
          and measured_at = started_at and accounts = 0) from storage_night) as nights,
        (select array_agg(seen_at <= clock_timestamp() and held_since is null) from service_clock) as clocks`);
    const nilWallet = [1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65];
    expect(rows).toEqual([{ nilWallet, ledgerAccounts: nilWallet.length, nights: [true], clocks: [true] }]);
    const { rows: filled } = await owner.query<{ name: string }>(`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and query_to_xml_and_xmlschema(
        format('select 1 from %s limit 1', c.oid::regclass), true, true, '')::text like '%<row%' order by 1`);
    expect(filled.map(({ name }) => name)).toEqual([
      'ledger_account',
      'mikro_orm_migrations',
      'service_clock',
      'storage_night',
    ]);
  });

  it('continues where a run that was killed ended', async () => {
    await runBaseline(3);
    expect(await pending()).toEqual(NAMES.slice(3));
    expect(await migrate(database)).toBe(NAMES.length - 3);
    expect((await journal()).map(({ name }) => name)).toEqual(NAMES);
  });
});

describe('a database that ran all replaced migrations', () => {
  beforeEach(async () => {
    await runBaseline();
    await owner.query(`insert into account (id) values ('0198c0de-0000-7000-8000-000000000001')`);
    await journalOf(REPLACED);
  });

  it('continues after the baseline, which is recorded and not run, and keeps its journal', async () => {
    const before = await journal();
    expect(await pending()).toEqual(LATER);
    const dry = await runDhara('migrate', '--dry-run');
    expect(dry.out).toContain(`\n${LATER.length} migrations are pending. Nothing was changed.\n`);
    expect(dry.out).not.toContain('Baseline');
    expect(await journal()).toEqual(before);

    expect(await migrate(database)).toBe(LATER.length);
    const after = await journal();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).map(({ name }) => name)).toEqual([...BASELINE, ...LATER]);
    expect(await migrate(database)).toBe(0);
    expect(await journal()).toEqual(after);
    expect(await pending()).toEqual([]);
    const { rows } = await owner.query('select id from account');
    expect(rows).toEqual([{ id: '0198c0de-0000-7000-8000-000000000001' }]);
  });
});

describe('a database that ran only some of the replaced migrations', () => {
  it('is refused by an error that says which version to run first, wherever it stopped', async () => {
    for (const count of REPLACED.keys()) {
      if (count === 0) continue;
      await journalOf(REPLACED.slice(0, count));
      const refused = await pendingPlans(owner).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(DatabaseTooOldError);
      expect((refused as DatabaseTooOldError).missing).toEqual(REPLACED.slice(count));
    }
    // One that came late is missing, too.
    await journalOf([...REPLACED.filter((name) => !name.includes('0047')), ...LATER]);
    await expect(pendingPlans(owner)).rejects.toThrow('it lacks Migration0047RevokedQuota, which');
  });

  it('is left unchanged by `dhara migrate`, which prints one line', async () => {
    await journalOf(REPLACED.slice(0, 35));
    const before = await schemaLines(owner, { rights: true });
    const expected =
      'dhara: This database is too old for this version: it lacks Migration0039SealedNights, Migration0040NightlyScope, ' +
      'Migration0041ServiceClock and 13 more, which this version no longer has one by one. Run `dhara migrate` of commit ' +
      'dd3e157b first, then of this version. Nothing was changed.\n';
    for (const args of [['migrate'], ['migrate', '--dry-run']]) {
      expect(await runDhara(...args)).toMatchObject({ code: 1, err: expected });
    }
    expect(await schemaLines(owner, { rights: true })).toEqual(before);
    expect((await journal()).map(({ name }) => name)).toEqual(REPLACED.slice(0, 35));
  });
});
