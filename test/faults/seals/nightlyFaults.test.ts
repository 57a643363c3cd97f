import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Books } from '../../support/seals/books.js';

let books: Books;

beforeEach(async () => {
  books = await Books.open();
});
afterEach(() => books?.close());

describe('the nightly verification', () => {
  it('reports a wrong balance once, however much is posted after it', async () => {
    const ownerId = await books.owner(3);
    await nightOf(1);
    await books.tamper(
      `update ledger_entry set delta = delta - 5 where owner_id = '${ownerId}' and account_no = 2 and version = 1`,
    );
    for (let day = 2; day <= 8; day += 1) {
      await books.book(ownerId, 2);
      await nightOf(day);
    }
    await tell();
    await books.book(ownerId, 2);
    await nightOf(9);
    expect(await tell()).toEqual([]);
  });

  it('finds a new fault among hundreds of old ones, and reports only that', async () => {
    await books.tamper(...brokenOwners(230));
    await nightOf(1);
    expect(await tell()).toHaveLength(101);
    await nightOf(2);
    expect(await tell()).toHaveLength(101);
    await nightOf(3);
    expect(await tell()).toHaveLength(30);
    await nightOf(4);
    expect(await tell()).toEqual([]);
    expect((await books.audit.health()).faults).toBe(230);

    await books.tamper(
      `insert into ledger_account (owner_id, account_no, balance, version)
        values ('ffffffff-ffff-4fff-bfff-ffffffffffff', 1, 1, 1)`,
    );
    await nightOf(5);
    expect(await tell()).toEqual(['account-balance ffffffff-ffff-4fff-bfff-ffffffffffff MASTER']);
  });

  it('finds a new fault among hundreds of the same kind and owner', async () => {
    const ownerId = await books.owner(1);
    const broken = (from: number, to: number) =>
      `insert into escrow (account_id, video_id, attempt, bucket, locked_micros, created_at)
        select '${ownerId}', gen_random_uuid(), 1, 4, 7, service_now() from generate_series(${from}, ${to})`;
    await books.tamper(broken(1, 250));
    let day = 1;
    do await nightOf((day += 1));
    while ((await tell()).length > 0);
    await books.tamper(broken(251, 251));
    await nightOf(day + 1);
    const told = await tell();
    expect(told.length).toBeGreaterThan(0);
    expect(told).toContain(`posting-missing ${ownerId} 151 more`);
  });

  it('reports a forged row whose name is too long for an index', async () => {
    const ownerId = await books.owner(1);
    await nightOf(1);
    const key = Array.from({ length: 80 }, () => randomUUID())
      .join('')
      .slice(0, 2_660);
    await books.tamper(
      `insert into ledger_tx (owner_id, type, idempotency_key, tx_id, request_hash, created_at)
        values ('${ownerId}', 'ADJUSTMENT', '${key}', gen_random_uuid(), '', service_now())`,
    );
    await nightsUntilTold(2);
  });
});

async function nightOf(day: number): Promise<void> {
  await books.clockAt(`2031-03-${String(day).padStart(2, '0')}T01:00:00Z`);
  expect(await books.audit.nightly()).toBe(1);
}

/** With the last check of each week, everything that was tampered with is found. */
async function nightsUntilTold(firstDay: number): Promise<void> {
  for (let day = firstDay; day < firstDay + 7; day += 1) {
    await nightOf(day);
    if ((await tell()).length > 0) return;
  }
  expect.unreachable('nobody was told');
}

function brokenOwners(count: number): string[] {
  return [
    `insert into ledger_account (owner_id, account_no, balance)
      select gen_random_uuid(), 1, 1 from generate_series(1, ${count})`,
  ];
}

/** New reports, each returned only once. */
async function tell(): Promise<string[]> {
  const { rows } = await books.admin.query<{ subject: string }>(
    'update alert set announced_at = service_now() where announced_at is null returning subject',
  );
  return rows.map((row) => row.subject);
}
