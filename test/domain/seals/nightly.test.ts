import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LedgerAudit } from '../../../src/domain/seals/ledgerAudit.js';
import { Books } from './books.js';

let books: Books;

beforeEach(async () => {
  books = await Books.open();
});
afterEach(() => books?.close());

describe('the night', () => {
  it('proves and seals once per UTC day from 00:30, and catches up', async () => {
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
    expect(await books.archive.heads()).toHaveLength(2);
    expect(await alerts()).toEqual([]);
    expect(await books.audit.health()).toMatchObject({ lastSeal: { blockNo: 2 }, faults: 0, firstFault: null });
  });

  it('raises one alert that names the first wrong row, and counts the next nights', async () => {
    const ownerId = await books.owner(3);
    await books.clockAt('2031-03-01T01:00:00Z');
    await books.audit.nightly();
    await books.tamper(
      `update ledger_entry set balance_after = 0 where owner_id = '${ownerId}' and account_no = 1 and version = 2`,
    );
    await books.clockAt('2031-03-02T01:00:00Z');
    await books.audit.nightly();
    await books.clockAt('2031-03-03T01:00:00Z');
    await books.audit.nightly();
    const [alert, ...more] = await alerts();
    expect(more).toEqual([]);
    expect(alert).toMatchObject({ kind: 'ledger.fault', times: 2 });
    expect(alert!.message).toContain(
      `running-balance: owner ${ownerId}, MASTER version 2: expected 2: 999999, found 2: 0`,
    );
    const health = await books.audit.health();
    expect(health.faults).toBe(2);
    expect(health.firstFault).toContain(ownerId);
    expect(health.lastVerifiedAt!.toISOString()).toContain('2031-03-03T01:00');
  });

  it('is done again where the archive could not be written, and then puts the head there', async () => {
    await books.owner(1);
    await books.clockAt('2031-03-01T01:00:00Z');
    const full = { append: () => Promise.reject(new Error('disk full')), heads: () => books.archive.heads() };
    await expect(new LedgerAudit({ db: books.db, archive: full }).nightly()).rejects.toThrow('disk full');
    expect(await nights()).toEqual([]);
    expect(await books.audit.nightly()).toBe(1);
    expect(await books.archive.heads()).toHaveLength(1);
    expect((await alerts()).map((alert) => alert.message)).toEqual([expect.stringContaining('not in the archive')]);
  });

  it('stops when told to, and leaves the night to the next', async () => {
    await books.owner(1);
    await books.clockAt('2031-03-01T01:00:00Z');
    await expect(books.audit.nightly(AbortSignal.abort())).rejects.toThrow('aborted');
    expect(await nights()).toEqual([]);
    expect(await new LedgerAudit({ db: books.db, archive: books.archive }).nightly()).toBe(1);
  });
});

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
