import { afterAll, beforeAll, expect, it } from 'vitest';

import { fundWallet } from '../../support/accounts.js';
import { addVideo } from '../../support/moving/library.js';
import { Side } from '../../support/moving/side.js';

const CREDIT = 1_000_000n;
const EXPORTS = 5;

let from: Side;
let to: Side;
let accountId: string;
let videoId: string;
let keyId: string;

beforeAll(async () => {
  [from, to] = await Promise.all([Side.open('https://old.example'), Side.open('https://new.example')]);
  accountId = await from.account();
  await fundWallet(from.db, accountId, { MASTER: 50n * CREDIT });
  videoId = await addVideo(from, accountId, { status: 'ready', title: '0', renditions: ['480p'] });
  keyId = (await from.keys.create(accountId, { name: '0' })).record.id;
});
afterAll(async () => {
  await from?.close();
  await to?.close();
});

/** In each transaction, a video, a key and a balance change together. */
async function change(round: number): Promise<void> {
  await from.db.transaction(async ({ sql }) => {
    const name = String(round);
    await sql.query({ name: '', text: 'update video set title = $3 where account_id = $1 and id = $2' }, [
      accountId,
      videoId,
      name,
    ]);
    await sql.query({ name: '', text: 'update api_key set name = $3 where account_id = $1 and id = $2' }, [
      accountId,
      keyId,
      name,
    ]);
  });
  const [one, other] = round % 2 === 0 ? (['MASTER', 'AI'] as const) : (['AI', 'MASTER'] as const);
  await from.wallet.allocate(accountId, {
    from: one,
    to: other,
    amountMicros: 50n * CREDIT,
    idempotencyKey: `r${round}`,
  });
}

it('an export is of one instant, while the account is in use', async () => {
  const over = new AbortController();
  const changes = (async () => {
    for (let round = 0; !over.signal.aborted; round += 1) await change(round);
  })();
  const seen = new Set<string>();
  try {
    for (let nth = 0; nth < EXPORTS; nth += 1) {
      const { bytes, report } = await from.export(accountId, null);
      // Credits are never between two buckets.
      expect(report.balanceMicros).toBe(50n * CREDIT);
      const target = await Side.open('https://third.example');
      try {
        await target.import(bytes, from, null);
        const [row] = await target.query<{ title: string; name: string }>(
          'select title, name from video v join api_key k on k.account_id = v.account_id where v.account_id = $1',
          accountId,
        );
        expect(row!.title).toBe(row!.name);
        seen.add(row!.title);
      } finally {
        await target.close();
      }
    }
  } finally {
    over.abort();
    await changes;
  }
  expect(seen.size).toBeGreaterThan(1);
});

it('of many imports of one archive at once, one brings the account and its credits', async () => {
  const { bytes } = await from.export(accountId, null);
  const all = await Promise.allSettled(Array.from({ length: 4 }, () => to.import(bytes, from, null)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of all) {
    if (one.status === 'rejected') {
      expect(['IMPORT_RUNNING', 'ALREADY_IMPORTED']).toContain((one.reason as { code: string }).code);
    }
  }
  expect((await to.wallet.balances(accountId)).MASTER).toBe(50n * CREDIT);
  expect(await to.faults()).toEqual([]);
});
