import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { migrate } from '../../../src/db/migrate.js';
import { runMigration } from '../../../src/db/migrateTables.js';
import { MigrationBlockedError, MigrationError } from '../../../src/db/migrationErrors.js';
import { migrations } from '../../../src/db/migrations/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { dhara } from '../../support/terminal.js';

const QUICK = { lockTimeoutMs: 300, attempts: 1000, firstPauseMs: 20, maxPauseMs: 50 };
/** A migration that needs `playback_view` for itself, and one before it that needs nothing that the tests hold. */
const COLUMN = 'Migration0125ExchangeTimes';
const INDEX = 'Migration0114VideosWaitingForCredits';

let database: TestDatabase;
let owner: pg.Client;
let other: pg.Client;
let lines: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  [owner, other] = [await connect(), await connect()];
  lines = [];
});
afterEach(async () => {
  await owner?.end();
  await other?.end();
  await database?.drop();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.migrationUrl });
  await client.connect();
  return client;
}

/** As before these migrations. */
async function undo(...names: (typeof COLUMN | typeof INDEX)[]): Promise<void> {
  if (names.includes(COLUMN)) await owner.query('alter table playback_view drop column exchanged_at');
  if (names.includes(INDEX)) await owner.query('drop index video_waiting_for_credits');
  await owner.query('delete from mikro_orm_migrations where name = any ($1)', [names]);
}

async function pending(): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>('select name from mikro_orm_migrations');
  const done = new Set(rows.map(({ name }) => name));
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

function run(retries = QUICK): Promise<number> {
  const report = { done: (line: string) => lines.push(line), waiting: (line: string) => lines.push(line) };
  return migrate({ ...database, retries, report });
}

const pidOf = async (client: pg.Client): Promise<number> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;

describe('a migration whose table is in use', () => {
  it('waits in short turns that let others pass, says who is in its way, and ends when that ends', async () => {
    await undo(COLUMN);
    const pid = await pidOf(other);
    await other.query('begin');
    await other.query('select count(*) from playback_view');
    const running = run();
    await expect.poll(() => lines.join()).toContain('playback_view');
    // Ten readers in a row, each of which could stand behind the migration.
    for (let nth = 0; nth < 10; nth++) await owner.query('select from playback_view limit 1');
    expect(await pending()).toEqual([COLUMN]);
    await other.query('commit');

    expect(await running).toBe(1);
    expect(await pending()).toEqual([]);
    expect(lines.find((line) => line.includes('playback_view'))).toMatch(
      new RegExp(
        `^${COLUMN} waits for a lock on playback_view that process ${pid} holds \\(role dhara_owner; idle in transaction, its transaction open for \\d+ s; statement: select count\\(\\*\\) from playback_view\\)\\. Attempt \\d+ of 1000 in 0\\.0\\d+ s\\.$`,
      ),
    );
    expect(lines.at(-1)).toMatch(new RegExp(`^${COLUMN}: done in \\d+\\.\\d s$`));
  });

  it('gives up after its attempts and names the session; finished migrations stay, and the next run continues', async () => {
    await undo(INDEX, COLUMN);
    await other.query('begin');
    await other.query('select from playback_view');
    // Long enough to see who is in the way, also on a busy machine.
    const failed = await run({ ...QUICK, lockTimeoutMs: 3000, attempts: 2 }).catch((error: unknown) => error);
    const pid = await pidOf(other);
    expect(failed).toBeInstanceOf(MigrationBlockedError);
    expect(failed).toMatchObject({ step: COLUMN, blocker: { pid, tables: 'playback_view' } });
    expect((failed as Error).message).toContain(
      `gave up after 2 attempts. To end that session: select pg_terminate_backend(${pid});`,
    );
    expect(await pending()).toEqual([COLUMN]);

    await other.query('commit');
    expect(await run()).toBe(1);
    expect(await pending()).toEqual([]);
  });

  it('changes nothing if its session ends half-way, and the next run continues', async () => {
    await undo(COLUMN);
    await other.query('begin; select from playback_view');
    const running = run().catch((error: unknown) => error);
    await expect.poll(() => lines).not.toEqual([]);
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
         and application_name like 'dhara migrate %.%'`,
    );
    expect(await running).toBeInstanceOf(Error);
    expect(await pending()).toEqual([COLUMN]);
    await other.query('commit');
    expect(await run()).toBe(1);
  });
});

it('a run waits for another on the same database, and says so', async () => {
  await undo(COLUMN);
  await other.query('select pg_advisory_lock(7140911)');
  const running = run();
  await expect.poll(() => lines).not.toEqual([]);
  expect(lines).toEqual([`Another run migrates this database (process ${await pidOf(other)}). Waiting for it to end.`]);
  expect(await pending()).toEqual([COLUMN]);
  await other.query('select pg_advisory_unlock(7140911)');
  expect(await running).toBe(1);
});

it('a migration that PostgreSQL refuses is named, is undone as a whole, and is not tried again', async () => {
  await undo(INDEX);
  await owner.query('create index video_waiting_for_credits on video (id)');
  const failed = await run().catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(MigrationError);
  expect((failed as Error).message).toBe(
    `${INDEX} failed: relation "video_waiting_for_credits" already exists. Finished migrations stay, and the next run of dhara migrate continues here.`,
  );
  expect(lines).toEqual([]);
  expect(await pending()).toEqual([INDEX]);
});

it('a run without new migrations passes transactions that have written to every table', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and not relispartition
       and relnamespace in ('public'::regnamespace, 'auth'::regnamespace, 'pgboss'::regnamespace)`,
  );
  expect(rows.length).toBeGreaterThan(80);
  await other.query('begin');
  await other.query(`lock table ${rows.map(({ name }) => name).join(', ')} in row exclusive mode`);
  expect(await run({ ...QUICK, attempts: 1 })).toBe(0);
  expect(await run({ ...QUICK, attempts: 1 })).toBe(0);
  await other.query('commit');
});

it('an index that is made concurrently holds up no writer, and is made again after a failed attempt', async () => {
  const plan = {
    name: 'Sample',
    isTransactional: false,
    statements: [
      'drop index concurrently if exists sample_id',
      'create unique index concurrently sample_id on sample (id)',
    ],
  };
  await owner.query('create table sample (id integer); insert into sample values (1), (1)');
  await expect(runMigration(owner, plan)).rejects.toThrow('could not create unique index');
  const VALID = `select indisvalid as "isValid" from pg_index where indexrelid = 'sample_id'::regclass`;
  expect((await owner.query(VALID)).rows).toEqual([{ isValid: false }]);

  await owner.query('delete from sample');
  await other.query('begin; insert into sample values (2)');
  const pid = await pidOf(owner);
  const running = runMigration(owner, plan);
  const writer = await connect();
  const WAITS = 'select from pg_locks where pid = $1 and not granted';
  await expect.poll(async () => (await writer.query(WAITS, [pid])).rowCount).toBe(1);
  await writer.query('insert into sample values (3)');
  await writer.end();
  await other.query('commit');
  await running;
  expect((await owner.query(VALID)).rows).toEqual([{ isValid: true }]);
  expect((await owner.query(`select from mikro_orm_migrations where name = 'Sample'`)).rowCount).toBe(1);
});

it('the index of sessions is made however long an old transaction lasts, and holds up no sign-in', async () => {
  await owner.query('drop index auth.session_expiry');
  // As a backup does.
  await other.query('begin isolation level repeatable read; select from auth.session');
  const running = run({ ...QUICK, attempts: 1 }).catch((error: unknown) => error);
  // Longer than it would wait for a lock.
  const WAITS = `
    select from pg_locks l join pg_stat_activity a using (pid)
    where a.datname = current_database() and a.application_name like 'dhara migrate %.%' and not l.granted
      and clock_timestamp() - l.waitstart > interval '600 ms'`;
  await expect.poll(async () => (await owner.query(WAITS)).rowCount).toBe(1);
  await owner.query('delete from auth.session');
  await other.query('commit');
  expect(await running).toBe(0);
  expect(lines).toEqual([]);
  const VALID = `select indisvalid as "isValid" from pg_index where indexrelid = 'auth.session_expiry'::regclass`;
  expect((await owner.query(VALID)).rows).toEqual([{ isValid: true }]);
});

describe('dhara migrate --dry-run', () => {
  const dry = () =>
    dhara(['migrate', '--dry-run'], {
      DATABASE_URL: database.runtimeUrl,
      DATABASE_MIGRATION_URL: database.migrationUrl,
    });

  it('prints the statements of pending migrations and changes nothing', async () => {
    await undo(INDEX, COLUMN);
    const { code, out, err } = await dry();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(
      `${COLUMN}, one transaction:\n  -- locks playback_view: access exclusive\n  alter table playback_view add column exchanged_at timestamptz;\n`,
    );
    expect(out).toMatch(/\n2 migrations are pending\. Nothing was changed\.\n$/);
    expect(await pending()).toEqual([INDEX, COLUMN]);
  });

  it('prints all of them for an empty database, which stays empty', async () => {
    await Promise.all([owner.end(), other.end()]);
    await database.drop();
    database = await createTestDatabase('empty');
    expect((await dry()).out).toMatch(
      new RegExp(`\\n${migrations.length} migrations are pending\\. Nothing was changed\\.\\n$`),
    );
    [owner, other] = [await connect(), await connect()];
    const { rowCount } = await owner.query(`select from pg_class where relnamespace = 'public'::regnamespace`);
    expect(rowCount).toBe(0);
  });

  it('refuses what it does not know', async () => {
    const { code, err } = await dhara(['migrate', '--dry'], { DATABASE_URL: database.runtimeUrl });
    expect({ code, err }).toEqual({ code: 2, err: 'dhara: Usage: dhara migrate [--dry-run]\n' });
  });
});
