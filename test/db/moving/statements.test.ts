import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { parseCredits } from '../../../src/domain/ledger/credits.js';
import { FIRST_COMPANY_ACCOUNT_NO, LEDGER_ACCOUNTS } from '../../../src/domain/ledger/ledgerAccounts.js';
import { fundWallet } from '../../support/accounts.js';
import { parseCsv } from '../../support/billing/csv.js';
import { filesOf } from '../../support/moving/forge.js';
import { Side } from '../../support/moving/side.js';

const CREDIT = 1_000_000n;
const NAME = 'Sons, "Daughters" & Co';

let side: Side;
let accountId: string;
/** The records of all statements of the archive, without their headings. */
let records: string[][];
/** What its header says has moved. */
let balanceMicros: bigint;
let months: string[];

beforeAll(async () => {
  side = await Side.open('https://old.example');
  accountId = await side.account();
  await side.query('update auth."user" set name = $2 where id = $1', accountId, NAME);
  await fundWallet(side.db, accountId, { MASTER: 40n * CREDIT, CREATIVE: 7n * CREDIT + 5n });
  const stranger = await side.account();
  await fundWallet(side.db, stranger, { MASTER: CREDIT });
  const files = await filesOf((await side.export(accountId)).bytes);
  const statements = files.filter(({ path }) => path.startsWith('statements/'));
  months = statements.map(({ path }) => path);
  records = statements.flatMap(({ bytes }) => parseCsv(bytes.toString('utf8').slice(1)).slice(1));
  const account = files.find(({ path }) => path === 'rows/account/000001.ndjson')!;
  balanceMicros = BigInt((JSON.parse(account.bytes.toString()) as { balanceMicros: string }).balanceMicros);
});

afterAll(() => side?.close());

const of = (kind: string): string[][] => records.filter(([record]) => record === kind);
const sum = (rows: string[][], column: number): bigint =>
  rows.reduce((total, row) => total + parseCredits(row[column]!.replace(/^\+/, '')), 0n);

describe('the statements of an archive', () => {
  it('are one for each month with postings, and say whose they are', async () => {
    const posted = await side.query<{ path: string }>(
      `select distinct 'statements/' || to_char(created_at at time zone 'utc', 'YYYY-MM') || '.csv' as path
       from ledger_tx where owner_id = $1 order by 1`,
      accountId,
    );
    expect(months).toEqual(posted.map(({ path }) => path));
    expect(of('statement')).toHaveLength(months.length);
    for (const [, , , , about] of of('statement')) expect(about).toContain(NAME);
  });

  it('have every change of the wallet that the books have, to the last micro-credit, and no other', async () => {
    const booked = await side.query<{
      account_no: number;
      delta: string;
      balance: string;
      tx_id: string;
      type: string;
    }>(
      `select e.account_no, e.delta::text, e.balance_after::text as balance, e.tx_id, t.type
       from ledger_entry e join ledger_tx t using (owner_id, tx_id)
       where e.owner_id = $1 and e.account_no < $2`,
      accountId,
      FIRST_COMPANY_ACCOUNT_NO,
    );
    const nameOf = (no: number): string => Object.entries(LEDGER_ACCOUNTS).find(([, each]) => each === no)![0];
    const expected = booked.map((row) =>
      [row.tx_id, nameOf(row.account_no), row.type, BigInt(row.delta), BigInt(row.balance)].join(' '),
    );
    const written = of('entry').map(([, , account, type, , amount, balance, , transaction]) =>
      [transaction, account, type, parseCredits(amount!), parseCredits(balance!)].join(' '),
    );
    expect(booked.length).toBeGreaterThan(2);
    expect(written.toSorted()).toEqual(expected.toSorted());
  });

  it('add up to the balance that moves', () => {
    expect(sum(of('opening'), 6) + sum(of('entry'), 5)).toBe(balanceMicros);
    expect(sum(of('closing'), 6)).toBe(balanceMicros);
    expect(balanceMicros).toBe(47n * CREDIT + 5n);
  });
});
