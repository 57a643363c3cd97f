import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LedgerAudit } from '../../../src/domain/ledger/seals/ledgerAudit.js';
import type { SealArchive } from '../../../src/ports/sealArchive.js';
import { Books } from '../../support/seals/books.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';

let books: Books;

beforeEach(async () => {
  books = await Books.open();
});
afterEach(() => books?.close());

describe('the nightly audit', () => {
  it('verifies and seals once per UTC day from 00:30, and catches up', async () => {
    const ownerId = await books.owner(2);
    await books.clockAt('2031-03-01T00:29:00Z');
    expect(await books.audit.nightly()).toBe(1);
    expect(await books.audit.nightly()).toBe(0);
    expect(await nights()).toEqual(['2031-02-28']);

    await books.clockAt('2031-03-01T00:31:00Z');
    await books.book(ownerId, 1);
    const both = await Promise.all([books.audit.nightly(), books.audit.nightly()]);
    expect(both.toSorted()).toEqual([0, 1]);
    await books.clockAt('2031-03-02T00:29:00Z');
    expect(await books.audit.nightly()).toBe(0);

    await books.clockAt('2031-03-09T15:00:00Z');
    expect(await books.audit.nightly()).toBe(1);
    expect(await books.audit.nightly()).toBe(0);
    expect(await nights()).toEqual(['2031-02-28', '2031-03-01', '2031-03-09']);
    expect(await books.heads()).toHaveLength(2);
    expect(await alerts()).toEqual([]);
    expect(await books.audit.health()).toMatchObject({ lastSeal: { blockNo: 2 }, faults: 0, firstFault: null });
  });

  it('raises an alert for each wrong row, and counts the nights that find it again', async () => {
    const ownerId = await books.owner(3);
    await books.clockAt('2031-03-01T01:00:00Z');
    await books.audit.nightly();
    await books.book(ownerId, 1);
    await books.tamper(
      `update ledger_entry set balance_after = 0 where owner_id = '${ownerId}' and account_no = 1 and version = 4`,
      `update ledger_account set balance = 0 where owner_id = '${ownerId}' and account_no = 1`,
    );
    await books.clockAt('2031-03-02T01:00:00Z');
    await books.audit.nightly();
    await books.clockAt('2031-03-03T01:00:00Z');
    await books.audit.nightly();
    const raised = await alerts();
    expect(raised).toMatchObject([
      { kind: 'ledger.fault', times: 2 },
      { kind: 'ledger.fault', times: 2 },
    ]);
    expect(raised.map(({ message }) => message).toSorted()).toEqual([
      expect.stringContaining(`account-balance: owner ${ownerId}, MASTER: `),
      expect.stringContaining(`running-balance: owner ${ownerId}, MASTER version 4: expected 4: 999997, found 4: 0`),
    ]);
    const health = await books.audit.health();
    expect(health.faults).toBe(2);
    expect(await scopes()).toEqual(['all', 'new, and slice 2 of 7', 'new, and slice 3 of 7']);
    expect(health.firstFault).toContain(ownerId);
    expect(health.lastVerifiedAt!.toISOString()).toContain('2031-03-03T01:00');
  });

  it('verifies what is new each night, and everything within a week', async () => {
    const owners = [await books.owner(3), await books.owner(3), await books.owner(3)];
    await nightOf(1);
    // The row is sealed and balanced: only reading all books of this owner finds the change.
    const [quiet, busy] = owners as [string, string];
    await books.tamper(`update ledger_tx set metadata = '{"n": "changed"}' where owner_id = '${quiet}'`);
    const found = [];
    for (let day = 2; day <= 8; day += 1) {
      await books.book(busy, 1);
      await nightOf(day);
      found.push((await books.audit.health()).faults);
    }
    const first = found.findIndex((faults) => faults > 0);
    expect(first).toBeGreaterThanOrEqual(0);
    // Every later night finds it, too, until it is corrected.
    expect(found.slice(first).every((faults) => faults > 0)).toBe(true);
    expect(found.slice(0, first).every((faults) => faults === 0)).toBe(true);
  });

  it('finds facts without a posting and postings without a fact one night later', async () => {
    // Not in the slice of the second night, whose full check would report it in other words first.
    let ownerId: string;
    do ownerId = await books.owner(2);
    while (Number.parseInt(ownerId.slice(-8), 16) % 7 === 1);
    await nightOf(1);
    await books.clockAt('2031-03-01T12:00:00Z');
    await books.tamper(`insert into escrow (account_id, video_id, attempt, bucket, locked_micros, created_at)
      values ('${ownerId}', gen_random_uuid(), 1, 4, 7, service_now())`);
    await nightOf(2);
    expect((await books.audit.health()).firstFault).toMatch(/^posting-missing: .* escrow:lock:/);
  });

  it('finds one night later what came while a verification took hours', async () => {
    let ownerId: string;
    do ownerId = await books.owner(1);
    while ([1, 2].includes(Number.parseInt(ownerId.slice(-8), 16) % 7));
    const blocker = await books.admin.connect();
    try {
      await books.clockAt('2031-03-01T01:00:00Z');
      await blocker.query('begin; lock table refund_request');
      const night = books.audit.nightly();
      await expect.poll(() => statementsWaiting(books.admin)).toBeGreaterThan(0);
      await books.clockAt('2031-03-01T01:05:00Z');
      await books.tamper(`insert into escrow (account_id, video_id, attempt, bucket, locked_micros, created_at)
        values ('${ownerId}', gen_random_uuid(), 1, 4, 7, service_now())`);
      await books.clockAt('2031-03-01T05:00:00Z');
      await blocker.query('rollback');
      expect(await night).toBe(1);
    } finally {
      blocker.release(true);
    }
    const { faults, lastVerifiedAt } = await books.audit.health();
    expect(faults).toBe(0);
    expect(lastVerifiedAt!.toISOString()).toContain('2031-03-01T01:00');
    await nightOf(2);
    expect((await books.audit.health()).firstFault).toMatch(/^posting-missing: .* escrow:lock:/);
  });

  it('reads as much on later nights as on early ones, no matter how much was posted before', async () => {
    const ownerId = await books.owner(2);
    await nightOf(1);
    const entries = [];
    for (let day = 2; day <= 5; day += 1) {
      await books.book(ownerId, 10);
      await nightOf(day);
      const { rows } = await books.admin.query<{ entries: string; scope: string }>(
        'select entries, scope from ledger_audit order by verified_at desc limit 1',
      );
      entries.push(Number(rows[0]!.entries));
    }
    // All entries are read once a week.
    expect(entries.filter((count) => count === 20).length).toBeGreaterThanOrEqual(3);
  });

  it('verifies before it seals, and seals again if the archive could not be written', async () => {
    await books.owner(1);
    await books.clockAt('2031-03-01T01:00:00Z');
    const failing = new LedgerAudit({ db: books.db, archive: fullArchive() });
    await expect(failing.nightly()).rejects.toThrow('disk full');
    expect(await nights()).toEqual(['2031-03-01']);
    await expect(failing.nightly()).rejects.toThrow('disk full');
    expect(await books.audit.nightly()).toBe(1);
    expect(await books.audit.nightly()).toBe(0);
    expect(await books.heads()).toHaveLength(1);
    expect(await nights()).toEqual(['2031-03-01']);
    expect(await alerts()).toEqual([]);
  });

  it('raises alerts about faults even if it cannot seal', async () => {
    const ownerId = await books.owner(2);
    await books.tamper(
      `update ledger_account set balance = balance + 1 where owner_id = '${ownerId}' and account_no = 1`,
    );
    await books.clockAt('2031-03-01T01:00:00Z');
    await expect(new LedgerAudit({ db: books.db, archive: fullArchive() }).nightly()).rejects.toThrow('disk full');
    expect(await alerts()).toMatchObject([{ kind: 'ledger.fault' }]);
  });

  it('is due again after a clock that was far ahead is set right', async () => {
    await books.owner(1);
    await books.clockAt('2032-03-01T01:00:00Z');
    expect(await books.audit.nightly()).toBe(1);
    await books.clockAt('2031-03-01T01:00:00Z');
    expect(await books.audit.nightly()).toBe(1);
    expect(await nights()).toEqual(['2031-03-01', '2032-03-01']);
  });

  it('stops on request, and leaves the night to the next run', async () => {
    await books.owner(1);
    await books.clockAt('2031-03-01T01:00:00Z');
    await expect(books.audit.nightly(AbortSignal.abort())).rejects.toThrow('aborted');
    expect(await nights()).toEqual([]);
    expect(await new LedgerAudit({ db: books.db, archive: books.archive }).nightly()).toBe(1);
  });
});

function fullArchive(): SealArchive {
  return { append: () => Promise.reject(new Error('disk full')), records: () => books.archive.records() };
}

async function nightOf(day: number): Promise<void> {
  await books.clockAt(`2031-03-${String(day).padStart(2, '0')}T01:00:00Z`);
  expect(await books.audit.nightly()).toBe(1);
}

async function scopes(): Promise<string[]> {
  const { rows } = await books.admin.query<{ scope: string }>('select scope from ledger_audit order by verified_at');
  return rows.map((row) => row.scope);
}

async function nights(): Promise<string[]> {
  const { rows } = await books.admin.query<{ night: string }>(
    'select night::text from ledger_audit where night is not null order by night',
  );
  return rows.map((row) => row.night);
}

async function alerts(): Promise<{ kind: string; message: string; times: number }[]> {
  const { rows } = await books.admin.query<{ kind: string; message: string; times: number }>(
    'select kind, message, times from alert order by raised_at',
  );
  return rows;
}
