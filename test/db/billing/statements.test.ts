import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { StatementService, type MonthlyStatement } from '../../../src/domain/payments/billing/statement.service.js';
import { statementCsv } from '../../../src/domain/payments/billing/statementCsv.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { parseCsv } from '../../support/billing/csv.js';
import { PastLedger, type PastPosting } from '../../support/billing/ledger.js';

const NEVER = new AbortController().signal;
const VIDEO = newId();

let database: TestDatabase;
let admin: pg.Pool;
let db: PostgresDatabase;
let statements: StatementService;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  await installVirtualClock(database.migrationUrl);
  await clockAt('2026-04-15T12:00:00Z');
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 5 });
  statements = new StatementService({ db, wallet: new WalletService(db) });
});

afterAll(async () => {
  await db?.close();
  await admin?.end();
  database?.leaveUnproven('postings of the past are written by hand');
  await database?.drop();
});

describe('monthly statements', () => {
  it('add up, and each opens with the balances at which the last one closed', async () => {
    const ledger = await opened('2026-01-10T00:00:00Z');
    await ledger.write(history());
    const months = await statements.months(ledger.ownerId);
    expect(months.map(({ month, isToDate }) => [month, isToDate])).toEqual([
      ['2026-04', true],
      ['2026-03', false],
      ['2026-02', false],
      ['2026-01', false],
    ]);
    let closing = new Map<string, bigint>();
    for (const listed of months.toReversed()) {
      const statement = await statements.open(ledger.ownerId, listed.month);
      expect(statement.isToDate).toBe(listed.isToDate);
      let sum = 0n;
      for (const { account, openingMicros, closingMicros } of statement.accounts) {
        expect(openingMicros, `${listed.month} ${account}`).toBe(closing.get(account) ?? 0n);
        const entries = (await entriesOf(statement)).filter((entry) => entry.account === account);
        const change = entries.reduce((total, { deltaMicros }) => total + deltaMicros, 0n);
        expect(openingMicros + change).toBe(closingMicros);
        expect(entries.at(-1)?.balanceMicros ?? openingMicros).toBe(closingMicros);
        sum += closingMicros;
      }
      expect(sum).toBe(listed.closingMicros);
      const changes = statement.totals.reduce((total, { amountMicros }) => total + amountMicros, 0n);
      expect(listed.openingMicros + changes).toBe(listed.closingMicros);
      closing = new Map(statement.accounts.map(({ account, closingMicros }) => [account, closingMicros]));
    }
    for (const [account, micros] of closing) expect(micros).toBe(ledger.balance(account as 'MASTER'));
  });

  it('contain each entry once: a month includes its first moment, and not the next month’s', async () => {
    const ledger = await opened('2026-01-10T00:00:00Z');
    await ledger.write([
      topUp('2026-01-31T23:59:59.999Z', 1n),
      topUp('2026-02-01T00:00:00Z', 2n),
      topUp('2026-02-28T23:59:59.999Z', 4n),
      topUp('2026-03-01T00:00:00Z', 8n),
    ]);
    const amounts = async (month: string) =>
      (await entriesOf(await statements.open(ledger.ownerId, month))).map(({ deltaMicros }) => deltaMicros);
    expect(await amounts('2026-01')).toEqual([1n]);
    expect(await amounts('2026-02')).toEqual([2n, 4n]);
    expect(await amounts('2026-03')).toEqual([8n]);
    expect(await amounts('2026-04')).toEqual([]);
  });

  it('read every page as of the moment they were opened, while more is posted', async () => {
    const ledger = await opened('2026-04-01T00:00:00Z');
    await ledger.write(
      Array.from({ length: 2_345 }, (_, n) => topUp(`2026-04-02T00:00:00.${n % 1000}Z`, BigInt(n + 1))),
    );
    const statement = await statements.open(ledger.ownerId, '2026-04');
    await ledger.write([topUp('2026-04-02T00:00:00.5Z', 1_000_000n), topUp('2026-04-14T00:00:00Z', 1_000_000n)]);
    const entries = await entriesOf(statement);
    expect(entries).toHaveLength(2_345);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(2_345);
    expect(entries.at(-1)!.balanceMicros).toBe((2_345n * 2_346n) / 2n);
    expect(statement.accounts[0]).toMatchObject({ account: 'MASTER', closingMicros: (2_345n * 2_346n) / 2n });
    expect(statement.entryCount).toBe(2_345);
  });

  it('exist for the months since the account was opened, and for no other', async () => {
    const ledger = await opened('2026-02-20T00:00:00Z');
    expect((await statements.months(ledger.ownerId)).map(({ month }) => month)).toEqual([
      '2026-04',
      '2026-03',
      '2026-02',
    ]);
    for (const month of ['2026-01', '2026-05', '2026-13', '2026-1', 'x', '../2026-02', '2026-02\0']) {
      await expect(statements.open(ledger.ownerId, month), month).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(statements.open(newId(), '2026-03')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const empty = await statements.open(ledger.ownerId, '2026-03');
    expect(await entriesOf(empty)).toEqual([]);
    expect(empty.accounts.map(({ account }) => account)).toEqual(['MASTER', 'CLOUD', 'AI', 'CREATIVE']);
  });

  it('stop reading when the reader aborts', async () => {
    const ledger = await opened('2026-04-01T00:00:00Z');
    await ledger.write(Array.from({ length: 2_100 }, () => topUp('2026-04-02T00:00:00Z', 1n)));
    const gone = new AbortController();
    const read = (await statements.open(ledger.ownerId, '2026-04')).entries(gone.signal);
    expect((await read.next()).value).toHaveLength(1_000);
    gone.abort();
    await expect(read.next()).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a statement as CSV', () => {
  it('reads back as it was written, with formulas disarmed', async () => {
    const ledger = await opened('2026-03-01T00:00:00Z');
    const titles = ['=HYPERLINK("http://evil")', 'कक्षा १०, "गणित"', '-2+3', '@SUM(A1)', 'two\r\nlines'];
    const videos = titles.map(() => newId());
    for (const [n, title] of titles.entries()) {
      await admin.query('insert into video (account_id, id, title) values ($1, $2, $3)', [
        ledger.ownerId,
        videos[n],
        title,
      ]);
    }
    const reason = "=cmd|' /C calc'!A0";
    await ledger.write([
      topUp('2026-03-02T10:00:00Z', 9_007_199_254_740_993_000_001n / 1_000n),
      ...videos.map((video) => lock('2026-03-03T10:00:00Z', video, 5n)),
      {
        type: 'ADJUSTMENT',
        at: '2026-03-04T00:00:00Z',
        deltas: { MASTER: -7n },
        metadata: { reason },
        key: 'adjustment:1',
      },
    ]);
    const statement = await statements.open(ledger.ownerId, '2026-03');
    let text = '';
    for await (const part of statementCsv(statement, NEVER)) text += part;

    expect(text.startsWith('\u{feff}record,time,')).toBe(true);
    expect(text.replaceAll('\r\n', '').includes('\r')).toBe(false);
    const records = parseCsv(text.slice(1));
    const columns = records[0]!;
    expect(records.every((record) => record.length === columns.length)).toBe(true);
    const rows = records.slice(1).map((record) => Object.fromEntries(columns.map((name, n) => [name, record[n]!])));
    const entries = rows.filter((row) => row['record'] === 'entry');
    expect(entries).toHaveLength(1 + 2 * titles.length + 1);
    expect(entries[0]).toMatchObject({
      account: 'MASTER',
      type: 'TOPUP',
      amount: '9007199254740.993',
      time: '2026-03-02T10:00:00.000Z',
    });
    expect(entries.at(-1)).toMatchObject({ amount: '-0.000007', type: 'ADJUSTMENT' });
    for (const title of titles) {
      expect(entries.filter((row) => row['description'] === `Set aside for processing: ${title}`)).toHaveLength(2);
    }
    for (const cell of records.flat()) expect(/^[=+@\t\r]|^-(?!\d)/.test(cell), cell).toBe(false);
    const opening = (account: string) => rows.find((row) => row['record'] === 'opening' && row['account'] === account);
    const closing = (account: string) => rows.find((row) => row['record'] === 'closing' && row['account'] === account);
    expect(opening('MASTER')).toMatchObject({ balance: '0' });
    expect(closing('MASTER')).toMatchObject({ balance: '9007199254740.992968', time: '2026-04-01T00:00:00.000Z' });
    expect(closing('ESCROW')).toMatchObject({ balance: '0.000025' });
    expect(rows.filter((row) => row['record'] === 'total').map((row) => [row['type'], row['amount']])).toEqual([
      ['ADJUSTMENT', '-0.000007'],
      ['ESCROW_LOCK', '0'],
      ['TOPUP', '9007199254740.993'],
    ]);
  });
});

async function clockAt(time: string): Promise<void> {
  await setClockOffset(database.migrationUrl, Date.parse(time) - Date.now());
}

async function opened(at: string): Promise<PastLedger> {
  const ledger = await PastLedger.of(admin);
  await admin.query('update account set created_at = $2 where id = $1', [ledger.ownerId, at]);
  return ledger;
}

async function entriesOf(statement: MonthlyStatement) {
  const entries = [];
  for await (const batch of statement.entries(NEVER)) entries.push(...batch);
  return entries;
}

function topUp(at: string, micros: bigint): PastPosting {
  return { type: 'TOPUP', at, deltas: { MASTER: micros } };
}

function lock(at: string, video: string, micros: bigint): PastPosting {
  return {
    type: 'ESCROW_LOCK',
    at,
    deltas: { MASTER: -micros, ESCROW: micros },
    reference: video,
    key: `escrow:lock:${video}:1`,
  };
}

/** Three months with movements on every account of a wallet; March has none. */
function history(): PastPosting[] {
  return [
    topUp('2026-01-12T00:00:00Z', 1_000_000_007n),
    { type: 'ALLOCATION', at: '2026-01-13T00:00:00Z', deltas: { MASTER: -500n, CREATIVE: 300n, CLOUD: 200n } },
    lock('2026-01-31T23:59:59.999Z', VIDEO, 40n),
    { type: 'ESCROW_SETTLE', at: '2026-02-01T00:00:00Z', deltas: { ESCROW: -40n, CREATIVE: 4n }, reference: VIDEO },
    { type: 'STORAGE', at: '2026-02-02T00:15:00Z', deltas: { CLOUD: -200n, DEBT: -33n } },
    { type: 'DISPUTE', at: '2026-02-28T12:00:00Z', deltas: { MASTER: -77n, DISPUTE_HOLD: 77n } },
    topUp('2026-04-02T00:00:00Z', 33n),
    { type: 'ALLOCATION', at: '2026-04-02T00:00:01Z', deltas: { MASTER: -33n, DEBT: 33n } },
  ];
}
