import { expect, test } from 'vitest';

import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { chargeArrears, openFundedAccount } from '../../support/accounts.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';

const CREDIT = 1_000_000n;
const live = new AbortController().signal;

const { pipeline } = await sceneOfFile();

/** A measured video of one minute, which costs 1.5 credits at 720p, with "Process automatically"; refused if it is short. */
async function chosen(accountId: string, minutes = 1): Promise<string> {
  const id = await pipeline.paperVideo(accountId, { durationMs: minutes * 60_000 });
  await pipeline.rows(`update video set auto_process = true, quality = '720p' where id = $1`, [id]);
  await pipeline.processing.processAsChosen(accountId, id).catch(() => undefined);
  return id;
}

async function statusOf(accountId: string, ids: readonly string[]): Promise<string[]> {
  const videos = await Promise.all(ids.map((id) => pipeline.videos.get(accountId, id)));
  return videos.map(({ status, failureCode }) => failureCode ?? status);
}

const pass = () => pipeline.processing.processWaiting(live);

test('videos that wait for credits are bought once these arrive, oldest first', async () => {
  const accountId = await openFundedAccount(pipeline.db, {});
  const ids = [await chosen(accountId), await chosen(accountId), await chosen(accountId)];
  expect(await pass()).toBe(0);

  await openFundedAccount(pipeline.db, { accountId, masterMicros: 3n * CREDIT });
  expect(await pass()).toBe(2);
  expect(await statusOf(accountId, ids)).toEqual(['queued', 'queued', 'INSUFFICIENT_CREDITS']);
  expect(await pass()).toBe(0);
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 3n * CREDIT, faults: 0 });
});

test('a video that is too expensive is not tried again, and no cheaper one overtakes it', async () => {
  const accountId = await openFundedAccount(pipeline.db, {});
  const ids = [await chosen(accountId, 10), await chosen(accountId)];
  const updatedAt = () => pipeline.rows('select updated_at from video where id = $1', [ids[0]]);
  const before = await updatedAt();
  await openFundedAccount(pipeline.db, { accountId, masterMicros: 2n * CREDIT });
  expect(await pass()).toBe(0);
  expect(await statusOf(accountId, ids)).toEqual(['INSUFFICIENT_CREDITS', 'INSUFFICIENT_CREDITS']);
  expect(await updatedAt()).toEqual(before);

  await openFundedAccount(pipeline.db, { accountId, masterMicros: 13n * CREDIT });
  expect(await pass()).toBe(1);
  expect(await statusOf(accountId, ids)).toEqual(['queued', 'INSUFFICIENT_CREDITS']);
  await openFundedAccount(pipeline.db, { accountId, masterMicros: 1_500_000n });
  expect(await pass()).toBe(1);
  expect(await statusOf(accountId, ids)).toEqual(['queued', 'queued']);
});

test('an allocation by hand continues a video of an owner who rations, and Master alone does not', async () => {
  const accountId = await openFundedAccount(pipeline.db, {});
  const wallet = new WalletService(pipeline.db);
  await wallet.setAutomaticAllocation(accountId, { bucket: 'CREATIVE', enabled: false });
  const id = await chosen(accountId);
  await openFundedAccount(pipeline.db, { accountId, masterMicros: 2n * CREDIT });
  expect(await pass()).toBe(0);
  const move = { from: 'MASTER', to: 'CREATIVE', amountMicros: 1_500_000n, idempotencyKey: 'a' } as const;
  await wallet.allocate(accountId, move);
  expect(await pass()).toBe(1);
  expect(await statusOf(accountId, [id])).toEqual(['queued']);
});

test('debt and a suspension are waited for', async () => {
  const accountId = await openFundedAccount(pipeline.db, {});
  await pipeline.db.transaction(({ sql: tx }) => chargeArrears(tx, accountId, CREDIT));
  const id = await chosen(accountId);
  expect(await statusOf(accountId, [id])).toEqual(['DEBT_OUTSTANDING']);
  await pipeline.rows(`update account set suspended_at = now(), suspended_reason = 'x' where id = $1`, [accountId]);
  await openFundedAccount(pipeline.db, { accountId, masterMicros: 3n * CREDIT });
  expect(await pass()).toBe(0);
  await pipeline.rows('update account set suspended_at = null, suspended_reason = null where id = $1', [accountId]);
  expect(await pass()).toBe(1);
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 1_500_000n, faults: 0 });
});

test('several passes at once buy each video once', async () => {
  const accountId = await openFundedAccount(pipeline.db, {});
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) ids.push(await chosen(accountId));
  await openFundedAccount(pipeline.db, { accountId, masterMicros: 12n * CREDIT });
  const bought = await Promise.all([pass(), pass(), pass(), pass()]);
  const statuses = await statusOf(accountId, ids);
  expect(statuses.filter((status) => status === 'queued')).toHaveLength(8);
  expect(statuses.filter((status) => status === 'INSUFFICIENT_CREDITS')).toHaveLength(2);
  expect(Math.max(...bought)).toBeLessThanOrEqual(8);
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 12n * CREDIT, faults: 0 });
});

test('a deleted video, one that its owner bought, and one that stops meanwhile are left alone', async () => {
  const accountId = await openFundedAccount(pipeline.db, {});
  const [deleted, bought, other] = [await chosen(accountId), await chosen(accountId), await chosen(accountId)];
  await pipeline.rows('update video set deleted_at = now() where id = $1', [deleted]);
  await openFundedAccount(pipeline.db, { accountId, masterMicros: 10n * CREDIT });
  await pipeline.buy(accountId, bought, '720p');
  expect(await pipeline.processing.processWaiting(AbortSignal.abort())).toBe(0);
  expect(await statusOf(accountId, [bought, other])).toEqual(['queued', 'INSUFFICIENT_CREDITS']);
  expect(await pass()).toBe(1);
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 3n * CREDIT, faults: 0 });
});
