import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isGstin, isStateCode } from '../../../src/domain/payments/billing/gstin.js';
import {
  moveEdge,
  planMoves,
  setShare,
  sharesOf,
  stepOf,
  totalOf,
} from '../../../src/dashboard/wallet/allocate/allocation.js';
import { gstinProblem, STATES } from '../../../src/dashboard/wallet/documents/gstin.js';
import { todayHere } from '../../../src/dashboard/lib/localDays.js';
import { filterOf, isNarrowed, narrowingIn } from '../../../src/dashboard/wallet/ledger/ledgerFilter.js';

const shares = { master: 40n, creative: 30n, cloud: 20n, ai: 10n };
const micros = fc.bigInt({ min: 0n, max: 10n ** 15n });
const anyShares = fc.record({ master: micros, creative: micros, cloud: micros, ai: micros });

describe('the allocation of credits', () => {
  it('reads the balances exactly', () => {
    const balances = { master: '0.00004', creative: '0.00003', cloud: '0.00002', ai: '0.00001' };
    expect(sharesOf(balances as Parameters<typeof sharesOf>[0])).toEqual(shares);
  });

  it('moves an edge between two neighbors, and not beyond them', () => {
    expect(moveEdge(shares, 0, 55n)).toEqual({ ...shares, master: 55n, creative: 15n });
    expect(moveEdge(shares, 0, 1_000n)).toEqual({ ...shares, master: 70n, creative: 0n });
    expect(moveEdge(shares, 2, -5n)).toEqual({ ...shares, cloud: 0n, ai: 30n });
    expect(moveEdge(shares, 3, 5n)).toBe(shares);
  });

  it('lets Master give or take the difference, if it has that much', () => {
    expect(setShare(shares, 'ai', 50n)).toEqual({ ...shares, master: 0n, ai: 50n });
    expect(setShare(shares, 'ai', 0n)).toEqual({ ...shares, master: 50n, ai: 0n });
    expect([setShare(shares, 'ai', 51n), setShare(shares, 'ai', -1n), setShare(shares, 'master', 1n)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has a step that is round, and about a hundredth of the total', () => {
    expect([0n, 1_000_000n, 123_000_000n, 99_000_000_000n].map(stepOf)).toEqual([
      10_000n,
      10_000n,
      2_000_000n,
      1_000_000_000n,
    ]);
  });

  it('is reached by moves that never take from a bucket what it does not have', () => {
    fc.assert(
      fc.property(anyShares, fc.integer({ min: 0, max: 2 }), micros, (now, handle, left) => {
        const then = moveEdge(now, handle, left);
        expect(totalOf(then)).toBe(totalOf(now));
        const balances: Record<string, bigint> = {
          MASTER: now.master,
          CREATIVE: now.creative,
          CLOUD: now.cloud,
          AI: now.ai,
        };
        for (const move of planMoves(now, then)) {
          expect(move.micros).toBeGreaterThan(0n);
          balances[move.from]! -= move.micros;
          balances[move.to]! += move.micros;
          expect(balances[move.from]).toBeGreaterThanOrEqual(0n);
        }
        expect(balances).toEqual({ MASTER: then.master, CREATIVE: then.creative, CLOUD: then.cloud, AI: then.ai });
      }),
    );
  });
});

describe('a GSTIN', () => {
  const VALID = '27AAPFU0939F1ZV';

  it('is accepted in lower case and with spaces around it', () => {
    expect(gstinProblem(` ${VALID.toLowerCase()} `)).toBeUndefined();
  });

  it.each([
    [VALID.slice(1), /15 characters; this one has 14/],
    [`99${VALID.slice(2)}`, /state code/],
    ['27AAPFU0939F0ZV', /Use the format/],
    ['27AAPFU0939F1ZW', /check digit/],
  ])('%s is refused with the reason', (gstin, reason) => {
    expect(gstinProblem(gstin)).toMatch(reason);
  });

  it('is judged by the page as by the service', () => {
    const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
    const changed = fc
      .tuple(fc.nat({ max: 14 }), fc.constantFrom(...characters))
      .map(([at, character]) => VALID.slice(0, at) + character + VALID.slice(at + 1));
    fc.assert(
      fc.property(changed, (gstin) => (gstinProblem(gstin) === undefined) === isGstin(gstin)),
      { numRuns: 500 },
    );
    const codes = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
    expect(codes.filter((code) => code in STATES)).toEqual(codes.filter(isStateCode));
  });
});

describe('the filter of the ledger', () => {
  it('is read from the address, without what is not one', () => {
    const search = new URLSearchParams(
      'bucket=CLOUD&type=STORAGE&from=2026-03-01&to=2026-03-31&video=vid_1&amount=%2B1,000.50',
    );
    const narrowing = narrowingIn(search);
    expect(narrowing).toEqual({
      bucket: 'CLOUD',
      type: 'STORAGE',
      from: '2026-03-01',
      to: '2026-03-31',
      video: 'vid_1',
      amount: '+1,000.50',
    });
    expect(filterOf(narrowing)).toMatchObject({ videoId: 'vid_1', amount: '1000.5' });
    expect(isNarrowed(narrowing)).toBe(true);
    const nothing = narrowingIn(new URLSearchParams('bucket=gold&type=THEFT&from=2026-13-01&to=tomorrow'));
    expect(nothing).toEqual({ bucket: '', type: '', from: '', to: '', video: '', amount: '' });
    expect(filterOf(narrowingIn(new URLSearchParams('amount=much')))).toEqual({});
    expect([isNarrowed(nothing), filterOf(nothing)]).toEqual([false, {}]);
  });

  it('includes its last day as a whole, in the time zone of the reader', () => {
    const day = todayHere();
    const { from, to, accounts, types, videoId } = filterOf({
      bucket: 'AI',
      type: 'TOPUP',
      from: day,
      to: day,
      video: 'v',
      amount: '',
    });
    expect({ accounts, types, videoId }).toEqual({ accounts: ['AI'], types: ['TOPUP'], videoId: 'v' });
    const [first, end] = [new Date(from as string), new Date(to as string)];
    expect([first.getHours(), end.getHours()]).toEqual([0, 0]);
    expect(Date.now()).toBeGreaterThanOrEqual(first.getTime());
    expect(Date.now()).toBeLessThan(end.getTime());
    expect(Math.round((end.getTime() - first.getTime()) / 3_600_000)).toBeGreaterThanOrEqual(23);
  });
});
