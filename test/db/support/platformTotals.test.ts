import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { post, type Posting } from '../../../src/domain/ledger/posting.js';
import { MEASURE_DAY } from '../../../src/domain/operations/totals/platformDay.sql.js';
import { PlatformTotals } from '../../../src/domain/operations/totals/platformTotals.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { CREDIT, GB, StorageScene } from '../../support/storage/scene.js';

const SMALL_PAGES = 50;
const NIL = '00000000-0000-0000-0000-000000000000';

let scene: StorageScene;
let totals: PlatformTotals;

async function open(firstDay: string): Promise<void> {
  await scene?.close();
  scene = await StorageScene.open(firstDay);
  totals = new PlatformTotals(scene.db);
}
afterAll(() => scene?.close());

const query = (text: string, values: unknown[] = []) => scene.admin.query(text, values);

/** An account that signed up at this time. */
async function signedUp(at: string): Promise<string> {
  const accountId = await scene.account();
  await query('update account set created_at = $2 where id = $1', [accountId, at]);
  return accountId;
}

async function posted(ownerId: string, type: Posting['type'], deltas: Posting['deltas']): Promise<void> {
  await scene.db.transaction(({ sql }) => post(sql, { ownerId, type, idempotencyKey: newId(), deltas, intent: 'x' }));
}

async function uploaded(accountId: string, at: string): Promise<void> {
  await query(
    `insert into upload (account_id, video_id, id, size_bytes, expires_at, finished_at) values ($1, $2, $3, 1, $4, $4)`,
    [accountId, newId(), newId(), at],
  );
}

async function processed(accountId: string, state: 'succeeded' | 'failed' | 'cancelled', at: string, ms = 60_000) {
  const [videoId, quoteId] = [newId(), newId()];
  await query(
    `insert into quote (account_id, id, video_id, quality, branding, encryption, duration_ms, lines, total_micros, created_at, expires_at)
     values ($1, $2, $3, '480p', false, false, $4, '[]', 0, $5, $5)`,
    [accountId, quoteId, videoId, ms, at],
  );
  await query(
    `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, state, queued_at, updated_at, finished_at)
     values ($1, $2, 1, $3, '480p', 0, $4, $5, $5, $5)`,
    [accountId, videoId, quoteId, state, at],
  );
}

/** A key that minted on these days; the last day is in the row of the key itself until the next mint. */
async function minted(accountId: string, days: readonly (readonly [day: string, used: number])[], takenOver = 0) {
  const id = newId();
  const [lastDay, lastUsed] = days.at(-1)!;
  await query(
    `insert into api_key (account_id, id, name, hash, prefix, last4, usage_day, used, taken_over, created_at)
     values ($1, $2, 'k', decode(replace($2::uuid::text, '-', ''), 'hex'), $2::uuid::text, '', $3, $4, $5, $6)`,
    [accountId, id, lastDay, lastUsed, takenOver, `${days[0]![0]}T00:00:00Z`],
  );
  for (const [day, used] of days.slice(0, -1)) {
    await query('insert into api_key_day values ($1, $2, $3, $4, 1000)', [accountId, id, day, used]);
  }
}

async function watched(accountId: string, day: string, views: number, dimension = 'all'): Promise<void> {
  for (const videoId of [NIL, newId()]) {
    await query(
      `insert into playback_day (account_id, dimension, video_id, starts_at, value, views) values ($1, $2, $3, $4, 'x', $5)`,
      [accountId, dimension, videoId, `${day}T00:00:00Z`, views],
    );
  }
}

async function dayOf(day: string) {
  return (await totals.lastDays(400)).find((one) => one.day === day);
}

describe('the totals of a day', () => {
  beforeAll(() => open('2027-03-01'));

  it('are what all live accounts did between two midnights in UTC', async () => {
    await scene.setClock('2027-03-01T06:00:00Z');
    const asha = await signedUp('2027-03-01T00:00:00Z');
    const ravi = await signedUp('2027-03-01T23:59:59.999999Z');
    await signedUp('2027-02-28T23:59:59.999999Z');
    await signedUp('2027-03-02T00:00:00Z');
    const test = newId();
    await query('select open_test_account($1, $2)', [asha, test]);
    await query(`update account set created_at = '2027-03-01T12:00:00Z' where id = $1`, [test]);

    await posted(asha, 'TOPUP', { CASH: -100n * CREDIT, MASTER: 100n * CREDIT });
    // Money without a known owner is nobody's credits.
    await posted(ravi, 'TOPUP', { CASH: -7n * CREDIT, SUSPENSE: 7n * CREDIT });
    await posted(ravi, 'REFUND', { SUSPENSE: -7n * CREDIT, CASH: 7n * CREDIT });
    await posted(asha, 'ESCROW_LOCK', { MASTER: -10n * CREDIT, ESCROW: 10n * CREDIT });
    await posted(asha, 'ESCROW_SETTLE', {
      ESCROW: -10n * CREDIT,
      REVENUE_PROCESSING: 8n * CREDIT,
      MASTER: 2n * CREDIT,
    });
    await posted(asha, 'REFUND', { MASTER: -5n * CREDIT, CASH: 5n * CREDIT });
    await posted(asha, 'REFERRAL_BONUS', { PROMO: -5n * CREDIT, MASTER: 5n * CREDIT });

    for (const account of [asha, ravi, test]) {
      await uploaded(account, '2027-03-01T10:00:00Z');
      await processed(account, 'succeeded', '2027-03-01T11:00:00Z', 90_000);
      await minted(account, [['2027-03-01', 40]]);
      await watched(account, '2027-03-01', 3);
      await watched(account, '2027-03-01', 9, 'country');
    }
    await uploaded(asha, '2027-03-02T00:00:00Z');
    await processed(asha, 'failed', '2027-03-01T11:00:00Z');
    await processed(asha, 'cancelled', '2027-03-01T11:00:00Z');
    await processed(asha, 'succeeded', '2027-02-28T23:59:59Z');
    await watched(asha, '2027-03-02', 100);
    // One key has begun the next day, and one replaces a key that had minted 30 of the same day.
    await minted(asha, [['2027-03-01', 5], ['2027-03-02', 500]]); // prettier-ignore
    await minted(ravi, [['2027-03-01', 31]], 30);
    await scene.store(asha, { bytes: 31n * GB, storedAt: '2027-03-01T12:00:00Z' });

    await totals.measureDue();
    expect(await dayOf('2027-03-01')).toMatchObject({
      signUps: 2,
      toppedUpMicros: 100n * CREDIT,
      spentMicros: 8n * CREDIT,
      refundedMicros: 5n * CREDIT,
      videosUploaded: 2,
      videosReady: 2,
      videosFailed: 1,
      encodedMs: 180_000,
      tokens: 40 + 40 + 5 + 1,
      views: 6,
      storedBytes: null,
      isFinal: false,
    });
  });

  it('are final an hour after midnight once the night has measured the storage, and never change again', async () => {
    await scene.setClock('2027-03-02T00:14:00Z');
    await totals.measureDue();
    expect(await dayOf('2027-03-01')).toMatchObject({ isFinal: false, storedBytes: null });
    await scene.run();
    await scene.setClock('2027-03-02T00:30:00Z');
    await scene.run();
    await scene.setClock('2027-03-02T00:59:00Z');
    await totals.measureDue();
    expect(await dayOf('2027-03-01')).toMatchObject({ isFinal: false, storedBytes: Number(31n * GB) });
    await scene.setClock('2027-03-02T01:05:00Z');
    expect(await totals.measureDue()).toBeGreaterThan(0);
    const final = await dayOf('2027-03-01');
    expect(final).toMatchObject({ isFinal: true, signUps: 2, storedBytes: Number(31n * GB) });

    await signedUp('2027-03-01T12:00:00Z');
    await scene.setClock('2027-03-02T09:00:00Z');
    await totals.measureDue();
    expect(await dayOf('2027-03-01')).toEqual(final);
    // What storage cost is spent on the day it is charged.
    expect((await dayOf('2027-03-02'))?.spentMicros).toBeGreaterThan(0n);
  });

  it('count accounts by what was added and erased since the day before', async () => {
    const before = (await dayOf('2027-03-01'))!;
    const gone = await signedUp('2027-03-02T10:00:00Z');
    await signedUp('2027-03-02T11:00:00Z');
    await query(
      `insert into account_closing (account_id, id, closed_at, erase_after, erased_at)
       values ($1, $1, '2027-03-02T12:00:00Z', '2027-03-02T12:00:00Z', '2027-03-02T13:00:00Z')`,
      [gone],
    );
    await scene.setClock('2027-03-02T14:00:00Z');
    await totals.measureDue();
    const { accounts, signUps } = (await dayOf('2027-03-02'))!;
    expect(signUps).toBe(3);
    expect(accounts).toBe(before.accounts + 3 - 1);
  });

  it('are summed up from the first account on, at most 400 days back, a few at a time', async () => {
    await query('truncate platform_day');
    await scene.setClock('2027-03-02T15:00:00Z');
    await query(`update account set created_at = '2025-01-01' where id = (select id from account limit 1)`);
    let passes = 0;
    while ((await totals.lastDays(1)).length === 0) {
      await totals.measureDue();
      expect((passes += 1)).toBeLessThan(30);
    }
    const days = await totals.lastDays(400);
    expect(days).toHaveLength(400);
    expect(days[0]!.day).toBe('2026-01-27');
    expect(days.at(-1)!.day).toBe('2027-03-02');
    expect(passes).toBe(20);
    // Nothing is due before five minutes have passed.
    const measuredAt = days.at(-1)!.measuredAt;
    await totals.measureDue();
    expect((await totals.lastDays(1))[0]!.measuredAt).toEqual(measuredAt);
    await scene.setClock('2027-03-02T15:20:00Z');
    await totals.measureDue();
    expect((await totals.lastDays(1))[0]!.measuredAt.getTime()).toBeGreaterThan(measuredAt.getTime());
  });

  it('are refused for fewer than one day and more than 400', async () => {
    for (const days of [0, -1, 401])
      await expect(totals.lastDays(days)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('summing up a day', () => {
  beforeAll(() => open('2027-03-01'));

  /** Writes the history of an owner for this many days; the last of them is `daysAgo` days before 2027-03-01. */
  async function history(days: number, daysAgo: number): Promise<void> {
    const accountId = await scene.account();
    const values = [accountId, days, daysAgo];
    const at = `'2027-03-01T12:00:00Z'::timestamptz - make_interval(days => $3::integer + $2::integer - n / 50)`;
    const many = 'generate_series(1, $2::integer * 50) n';
    await query(
      `with tx as (
         insert into ledger_tx (owner_id, idempotency_key, tx_id, type, request_hash, created_at)
         select $1, 'h' || n, gen_random_uuid(), 'TOPUP', '', ${at} from ${many} returning owner_id, tx_id, created_at
       )
       insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
       select owner_id, no, row_number() over (partition by no order by created_at), tx_id, case no when 1 then 1 else -1 end, 0, created_at
       from tx, unnest(array[1, 60]) no order by created_at`,
      values,
    );
    await query(
      `insert into upload (account_id, video_id, id, size_bytes, expires_at, finished_at)
       select $1, gen_random_uuid(), gen_random_uuid(), 1, ${at}, ${at} from ${many}`,
      values,
    );
    await query(
      `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, state, queued_at, updated_at, finished_at)
       select $1, gen_random_uuid(), 1, gen_random_uuid(), '480p', 0, 'succeeded', ${at}, ${at}, ${at} from ${many}`,
      values,
    );
    await query(`insert into api_key_day select $1, gen_random_uuid(), (${at})::date, 1, 1000 from ${many}`, values);
    await query('vacuum analyze ledger_tx, ledger_entry, upload, processing, api_key_day');
  }

  interface PlanNode {
    'Node Type': string;
    'Relation Name'?: string;
    'Shared Hit Blocks': number;
    'Shared Read Blocks': number;
    Plans?: PlanNode[];
  }

  const pagesOf = (node: PlanNode): number => node['Shared Hit Blocks'] + node['Shared Read Blocks'];
  const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

  /** The pages that it reads, and the tables that it reads whole, unless they are small. */
  async function look(): Promise<{ pages: number; readWhole: string[] }> {
    const client = await scene.admin.connect();
    try {
      await client.query('begin');
      await client.query(`prepare measured (date) as ${MEASURE_DAY.text}`);
      const { rows } = await client.query(
        `explain (analyze, buffers, timing off, format json) execute measured ('2027-02-27')`,
      );
      const plan = rows[0]['QUERY PLAN'][0].Plan as PlanNode;
      const whole = nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan' && pagesOf(node) > SMALL_PAGES);
      return { pages: pagesOf(plan), readWhole: whole.map((node) => node['Relation Name'] ?? '') };
    } finally {
      await client.query('rollback');
      await client.query('deallocate all');
      client.release();
    }
  }

  it('reads the rows of that day, not those of a year before it', async () => {
    await history(100, 0);
    const few = await look();
    await history(300, 100);
    const many = await look();
    process.stdout.write(`pages read for one day after 100 days: ${few.pages}, after 400 days: ${many.pages}\n`);
    // Trees are a level deeper, and each of the day's postings is looked up by its id.
    expect(many.pages).toBeLessThan(2 * few.pages);
    expect(many.readWhole).toEqual([]);
  });
});
