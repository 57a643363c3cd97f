import { inspect } from 'node:util';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { LEDGER_ACCOUNTS, type LedgerAccountName } from '../../../src/domain/ledger/ledgerAccounts.js';
import type { LedgerFilter, LedgerRange } from '../../../src/domain/ledger/ledgerFilter.js';
import type { LedgerLine } from '../../../src/domain/ledger/ledgerLines.js';
import { LEDGER_WALKS, type Position } from '../../../src/domain/ledger/ledgerWalks.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { PLAN_MODES, type Plan, planOf } from '../../support/database/plans.js';
import { PastLedger, type ModelEntry, type PastPosting } from '../../support/billing/ledger.js';

const ENTRIES = 100_000;
const START_MS = Date.UTC(2025, 0, 1);
const HOUR_MS = 3_600_000;
const VIDEOS = [newId(), newId(), newId()];

let database: TestDatabase;
let admin: pg.Pool;
let db: PostgresDatabase;
let wallet: WalletService;
let small: PastLedger;
let large: PastLedger;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 5 });
  wallet = new WalletService(db);
  small = await PastLedger.of(admin);
  await small.write(Array.from({ length: 120 }, (_, n) => everyKind(n)));
  large = await PastLedger.of(admin);
  await large.write(Array.from({ length: ENTRIES / 2 }, (_, n) => everyKind(n)));
  await admin.query('vacuum analyze ledger_entry, ledger_tx, ledger_account');
});

afterAll(async () => {
  await db?.close();
  await admin?.end();
  database?.leaveUnproven('postings of the past are written by hand');
  await database?.drop();
});

describe('entries by filter', () => {
  const ACCOUNTS: LedgerFilter['accounts'][] = [undefined, null, ['MASTER'], ['ESCROW', 'CREATIVE'], ['DEBT'], []];
  const TYPES: LedgerFilter['types'][] = [undefined, null, ['TOPUP'], ['ESCROW_LOCK', 'STORAGE', 'TOPUP'], []];
  // Each of the first 60 hours has two postings.
  const STARTS = [undefined, null, at(20), at(30)];
  const ENDS = [undefined, at(30), at(90)];

  it('match a naive model for every combination of filters', async () => {
    for (const accounts of ACCOUNTS) {
      for (const types of TYPES) {
        for (const from of STARTS) {
          for (const to of ENDS) {
            for (const [videoId, amountMicros] of [
              [],
              [VIDEOS[1]!],
              [newId()],
              [undefined, 20n],
              [undefined, 123n],
              [VIDEOS[1]!, 2n],
            ] as const) {
              const filter = {
                ...(accounts === undefined ? {} : { accounts }),
                ...(types === undefined ? {} : { types }),
                ...(from === undefined ? {} : { from }),
                ...(to === undefined ? {} : { to }),
                ...(videoId === undefined ? {} : { videoId }),
                ...(amountMicros === undefined ? {} : { amountMicros }),
              };
              const found = await wallet.lines(small.ownerId, { first: 1000, after: null, filter });
              expect(found.map(idOf), inspect(filter)).toEqual(expected(small, filter));
            }
          }
        }
      }
    }
  });

  it.each<LedgerFilter>([
    {},
    { accounts: ['CREATIVE', 'CLOUD', 'MASTER'] },
    { types: ['ESCROW_LOCK', 'ALLOCATION'] },
    { accounts: ['ESCROW'], types: ['ESCROW_LOCK', 'STORAGE'] },
    { videoId: VIDEOS[0]!, from: at(5) },
    { amountMicros: 20n },
    { amountMicros: 20n, types: ['ESCROW_LOCK'] },
  ])('are the same read in pages as read at once: %o', async (filter) => {
    const paged: LedgerLine[] = [];
    for (;;) {
      const after = paged.at(-1)?.cursor ?? null;
      const page = await wallet.lines(small.ownerId, { first: 7, after, filter });
      paged.push(...page);
      if (page.length < 7) break;
    }
    expect(paged.map(idOf)).toEqual(expected(small, filter));
    expect(paged.length).toBeGreaterThan(14);
  });

  it('are each read once while entries are added between pages', async () => {
    const ledger = await PastLedger.of(admin);
    await ledger.write(Array.from({ length: 60 }, (_, n) => everyKind(n)));
    const before = expected(ledger, { accounts: ['MASTER'] });
    const paged: LedgerLine[] = [];
    for (let page = 0; paged.length < before.length; page += 1) {
      const after = paged.at(-1)?.cursor ?? null;
      paged.push(...(await wallet.lines(ledger.ownerId, { first: 5, after, filter: { accounts: ['MASTER'] } })));
      await ledger.write([everyKind(200 + page)]);
    }
    expect(paged.map(idOf)).toEqual(before);
  });

  it('show the running balance of their account', async () => {
    const lines = await wallet.lines(small.ownerId, { first: 1000, after: null, filter: { accounts: ['MASTER'] } });
    let balance = 0n;
    for (const line of lines.toReversed()) {
      balance += line.deltaMicros;
      expect(line.balanceAfterMicros).toBe(balance);
    }
    expect(balance).toBe(small.balance('MASTER'));
  });

  it('are refused for a period that ends before it begins, and for an unknown video', async () => {
    const ask = (filter: LedgerFilter) => wallet.lines(small.ownerId, { first: 1, after: null, filter });
    await expect(ask({ from: at(2), to: at(1) })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(ask({ videoId: 'vid_0' })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' });
  });
});

describe('a page of a hundred thousand entries', () => {
  const COMPANY_FREE = Object.keys(LEDGER_ACCOUNTS).slice(0, 8) as LedgerAccountName[];

  it.each([
    ['ALL', null, null, null],
    ['BY_ACCOUNT', ['MASTER', 'CREATIVE'], null, null],
    ['BY_ACCOUNT', COMPANY_FREE, null, null],
    ['BY_AMOUNT', null, null, null],
    ['BY_TYPE', null, ['TOPUP', 'STORAGE', 'ESCROW_LOCK'], null],
    ['BY_REFERENCE', null, null, VIDEOS[0]],
  ] as const)('walks an index and stops early: %s %j %j', async (walk, accounts, types, reference) => {
    const plans = await plansOf(walk, {
      beforeTime: at(ENTRIES / 4).toISOString(),
      accountNos: accounts?.map((name) => LEDGER_ACCOUNTS[name]) ?? null,
      types,
      reference: reference ?? null,
      amountMicros: walk === 'BY_AMOUNT' ? '20' : null,
    });
    for (const plan of plans) {
      expect(plan.nodes, JSON.stringify(plan.nodes)).not.toContain('Seq Scan');
      // The query walks each account, or type, for one page, and skips the company's side of each posting.
      const walks = (accounts?.length ?? 1) * (types?.length ?? 1);
      expect(plan.mostRows).toBeLessThanOrEqual(walks * 210);
    }
  });

  it.each([1_000_000_000_000n, 123n])(
    'finds the oldest entry of %s, and none, in a few steps',
    async (amountMicros) => {
      const filter: LedgerFilter = { amountMicros };
      const found = await wallet.lines(large.ownerId, { first: 100, after: null, filter });
      expect(found.map(idOf)).toEqual(expected(large, filter));
      for (const plan of await plansOf('BY_AMOUNT', { amountMicros: amountMicros.toString() })) {
        expect(plan.nodes, JSON.stringify(plan.nodes)).not.toContain('Seq Scan');
        expect(plan.mostRows).toBeLessThanOrEqual(1);
      }
    },
  );

  it('matches the model when both accounts and types are given', async () => {
    const rare: LedgerFilter = { accounts: ['MASTER'], types: ['REFERRAL_BONUS'] };
    expect((await wallet.lines(large.ownerId, { first: 100, after: null, filter: rare })).map(idOf)).toEqual(
      expected(large, rare).slice(0, 100),
    );
    const owed: LedgerFilter = { accounts: ['DEBT'], types: ['ESCROW_LOCK', 'STORAGE'] };
    expect((await wallet.lines(large.ownerId, { first: 100, after: null, filter: owed })).map(idOf)).toEqual(
      expected(large, owed).slice(0, 100),
    );
  });
});

/** How PostgreSQL runs a page of the large ledger, in each mode: without a narrowing, the newest entries. */
async function plansOf(walk: keyof typeof LEDGER_WALKS, narrowing: Partial<LedgerRange & Position>): Promise<Plan[]> {
  const page = {
    ownerId: large.ownerId,
    beforeTime: 'infinity',
    beforeTx: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    beforeAccount: '99',
    first: 100,
    accountNos: null,
    types: null,
    from: '-infinity',
    to: 'infinity',
    reference: null,
    amountMicros: null,
    ...narrowing,
  };
  const { text, parameters } = LEDGER_WALKS[walk];
  const values = parameters.map((name) => page[name]);
  const plans: Plan[] = [];
  for (const mode of PLAN_MODES) plans.push(await planOf(admin, text, values, mode));
  return plans;
}

function at(n: number): Date {
  return new Date(START_MS + n * HOUR_MS);
}

/** A deterministic history with every type and account; two postings share each time. */
function everyKind(n: number): PastPosting {
  const time = at(Math.floor(n / 2));
  const video = VIDEOS[n % VIDEOS.length]!;
  if (n === 0) return { type: 'TOPUP', at: time, deltas: { MASTER: 1_000_000_000_000n }, key: 'topup:razorpay:pay_0' };
  if (n % 5000 === 11)
    return { type: 'REFERRAL_BONUS', at: time, deltas: { MASTER: 5n }, key: `referral:${n}:referrer` };
  if (n % 5000 === 17) return { type: 'STORAGE', at: time, deltas: { DEBT: -3n }, key: `storage:owed:${n}` };
  switch (n % 6) {
    case 1:
      return { type: 'ALLOCATION', at: time, deltas: { MASTER: -900n, CREATIVE: 500n, CLOUD: 400n } };
    case 2:
      return { type: 'ESCROW_LOCK', at: time, deltas: { CREATIVE: -20n, ESCROW: 20n }, reference: video };
    case 3:
      return { type: 'ESCROW_SETTLE', at: time, deltas: { ESCROW: -20n, CREATIVE: 2n }, reference: video };
    case 4:
      return { type: 'STORAGE', at: time, deltas: { CLOUD: -7n }, key: `storage:${n}` };
    default:
      return { type: 'TOPUP', at: time, deltas: { MASTER: 1000n }, key: `topup:stripe:pi_${n}` };
  }
}

function idOf(line: LedgerLine): string {
  return `${line.txId} ${line.account} ${line.deltaMicros} ${line.balanceAfterMicros}`;
}

function expected(ledger: PastLedger, filter: LedgerFilter): string[] {
  const { accounts, types, from, to, videoId, amountMicros } = filter;
  const wanted = (entry: ModelEntry): boolean =>
    (accounts == null || accounts.includes(entry.account)) &&
    (types == null || types.includes(entry.type)) &&
    (from == null || entry.at >= from) &&
    (to == null || entry.at < to) &&
    (videoId == null || entry.reference === videoId) &&
    (amountMicros == null || entry.deltaMicros === amountMicros || entry.deltaMicros === -amountMicros);
  return ledger.entries
    .filter(wanted)
    .toSorted(
      (a, b) =>
        b.at.getTime() - a.at.getTime() ||
        (a.txId < b.txId ? 1 : a.txId > b.txId ? -1 : LEDGER_ACCOUNTS[b.account] - LEDGER_ACCOUNTS[a.account]),
    )
    .map((entry) => `${entry.txId} ${entry.account} ${entry.deltaMicros} ${entry.balanceAfterMicros}`);
}
