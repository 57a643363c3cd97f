import { expect, test } from 'vitest';

import type { Quality } from '../../../src/ports/transcoder.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { chargeArrears } from '../../support/accounts.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { IS_FULL } from '../../support/effort.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';

const CREDIT = 1_000_000n;

const { pipeline } = await sceneOfFile();

const plain = { quality: '720p', branding: false, encryption: false } as const;

test('concurrent purchases lock exactly what the bucket affords', async () => {
  const { requests, affordable, rounds } = IS_FULL
    ? { requests: 200, affordable: 50, rounds: 5 }
    : { requests: 40, affordable: 10, rounds: 3 };
  for (let round = 0; round < rounds; round += 1) {
    // A minute of 720p costs 1.5 credits; the one credit left over buys nothing.
    const accountId = await pipeline.account(1n + (BigInt(affordable) * 3n) / 2n);
    const quotes: string[] = [];
    for (let i = 0; i < requests; i += 1) {
      const videoId = await pipeline.paperVideo(accountId);
      quotes.push((await pipeline.processing.quote(accountId, videoId, plain)).id);
    }

    const results = await Promise.allSettled(quotes.map((id) => pipeline.processing.process(accountId, id)));

    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(requests - affordable);
    for (const error of refused) {
      expect(error).toMatchObject({ code: 'INSUFFICIENT_CREDITS', details: { missing: '0.5' } });
    }
    expect(await pipeline.books(accountId)).toEqual({
      creative: CREDIT,
      escrow: BigInt(affordable) * 1_500_000n,
      revenue: 0n,
      faults: 0,
    });
    expect(await count('processing', accountId)).toBe(affordable);
    expect(await jobs(accountId)).toBe(affordable);
    const [queued] = await pipeline.db.sql.query<{ queued: string }>(
      { name: 'test-queued', text: 'select queued from video_count where account_id = $1' },
      [accountId],
    );
    expect(Number(queued!.queued)).toBe(affordable);
  }
});

test('one quote processed many times at once is one purchase', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const { id } = await pipeline.processing.quote(accountId, videoId, plain);

  const purchases = await Promise.all(Array.from({ length: 8 }, () => pipeline.processing.process(accountId, id)));

  expect(purchases).toEqual(purchases.map(() => ({ videoId, attempt: 1 })));
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 1_500_000n, faults: 0 });
  expect(await jobs(accountId)).toBe(1);
});

test('of two quotes for one video, one is bought and one is refused', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const first = await pipeline.processing.quote(accountId, videoId, plain);
  const second = await pipeline.processing.quote(accountId, videoId, { ...plain, normalizeLoudness: true });

  const results = await Promise.allSettled(
    [first, second].map((quote) => pipeline.processing.process(accountId, quote.id)),
  );

  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'INVALID_STATE' } });
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 1_500_000n, faults: 0 });
});

test('a refused purchase leaves nothing behind, and works after a top-up', async () => {
  const accountId = await pipeline.account(1n);
  const videoId = await pipeline.paperVideo(accountId);
  const quote = await pipeline.processing.quote(accountId, videoId, plain);
  expect(quote.missingMicros).toBe(500_000n);

  await expect(pipeline.processing.process(accountId, quote.id)).rejects.toMatchObject({
    code: 'INSUFFICIENT_CREDITS',
    details: { missing: '0.5' },
  });
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({ status: 'uploaded', attempt: 0 });
  expect(await jobs(accountId)).toBe(0);

  await pipeline.topUp(accountId, 1n);
  await expect(pipeline.processing.process(accountId, quote.id)).resolves.toEqual({ videoId, attempt: 1 });
});

test.each([
  // Whole milliseconds times the rate, floored once: 1.0015 s of 1080p is not 1.002 s.
  { durationMs: 1001, height: 1080, quality: '1080p', bought: '1080p', totalMicros: 33_366n },
  { durationMs: 60_000, height: 720, quality: '1080p', bought: '720p', totalMicros: 1_500_000n },
  { durationMs: 90_000, height: 2160, quality: '480p', bought: '480p', totalMicros: 1_500_000n },
  { durationMs: 7, height: 240, quality: '2160p', bought: '480p', totalMicros: 116n },
] as const)('$durationMs ms of $height lines bought as $quality cost $totalMicros', async (video) => {
  const accountId = await pipeline.account(0n);
  const videoId = await pipeline.paperVideo(accountId, video);
  const quote = await pipeline.processing.quote(accountId, videoId, { ...plain, quality: video.quality });

  expect(quote).toMatchObject({
    quality: video.bought,
    totalMicros: video.totalMicros,
    durationMs: BigInt(video.durationMs),
  });
  const sum = quote.lines.reduce((total, line) => total + BigInt(line.amountMicros), 0n);
  expect(sum).toBe(quote.totalMicros);
});

test('encryption is a separate line, and the quote’s total is locked', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId, { durationMs: 61_001 });
  const quote = await pipeline.processing.quote(accountId, videoId, { ...plain, encryption: true });
  expect(quote).toMatchObject({ addons: { branding: false, encryption: true }, totalMicros: 2_033_366n });
  expect(quote.lines.map(({ item, amountMicros }) => [item, amountMicros])).toEqual([
    ['processing', '1525025'],
    ['encryption', '508341'],
  ]);

  await pipeline.processing.process(accountId, quote.id);
  expect((await pipeline.books(accountId)).escrow).toBe(2_033_366n);
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({ encryption: true, status: 'queued' });
});

test('repeated and concurrent quotes renew one quote per choice', async () => {
  const accountId = await pipeline.account(1n);
  const videoId = await pipeline.paperVideo(accountId);
  const choices = [plain, { ...plain, encryption: true }, { ...plain, normalizeLoudness: true }];
  const ids = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    const asked = choices.flatMap((choice) => [choice, choice, choice]);
    const quotes = await Promise.all(asked.map((choice) => pipeline.processing.quote(accountId, videoId, choice)));
    for (const { id } of quotes) ids.add(id);
  }
  const kept = { name: '', text: 'select id from quote where account_id = $1' };
  const rows = await pipeline.db.sql.query<{ id: string }>(kept, [accountId]);
  expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(ids.size).toBe(choices.length);
});

test('an expired quote is deleted with the next one, unless it was bought', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const bought = await pipeline.processing.quote(accountId, videoId, plain);
  await pipeline.processing.quote(accountId, videoId, { ...plain, encryption: true });
  const { attempt } = await pipeline.processing.process(accountId, bought.id);
  const claim = await pipeline.attempts.claim({ accountId, videoId, attempt });
  await pipeline.attempts.fail(claim!, { code: 'X', message: 'x' });
  await pipeline.rows(`update quote set expires_at = service_now() - interval '1 second' where account_id = $1`, [
    accountId,
  ]);

  const next = await pipeline.processing.quote(accountId, videoId, plain);
  const kept = { name: '', text: 'select id from quote where account_id = $1' };
  const rows = await pipeline.db.sql.query<{ id: string }>(kept, [accountId]);
  expect(rows.map(({ id }) => id).sort()).toEqual([bought.id, next.id].sort());
});

test('two purchases of a video in one hour are two changes of it', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  for (const expected of [1, 2]) {
    const { id } = await pipeline.processing.quote(accountId, videoId, plain);
    const { attempt } = await pipeline.processing.process(accountId, id);
    expect(attempt).toBe(expected);
    const claim = await pipeline.attempts.claim({ accountId, videoId, attempt });
    await pipeline.attempts.fail(claim!, { code: 'X', message: 'x' });
  }
  const changes = {
    name: '',
    text: `select fact, kind, actor from video_change where account_id = $1 and kind = 'video.bought' order by created_at`,
  };
  expect(await pipeline.db.sql.query(changes, [accountId])).toEqual(
    [1, 2].map((attempt) => ({ fact: `video.bought:attempt:${attempt}`, kind: 'video.bought', actor: 'service' })),
  );
});

test('an account with debt buys nothing until it has repaid', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const { id } = await pipeline.processing.quote(accountId, videoId, plain);
  await pipeline.db.transaction(({ sql }) => chargeArrears(sql, accountId, 1n));

  const refusal = { code: 'DEBT_OUTSTANDING', details: { owed: '0.000001' } };
  await expect(pipeline.processing.process(accountId, id)).rejects.toMatchObject(refusal);
  expect(await jobs(accountId)).toBe(0);
  expect(await count('escrow', accountId)).toBe(0);

  const wallet = new WalletService(pipeline.db);
  await wallet.allocate(accountId, { from: 'CREATIVE', to: 'MASTER', amountMicros: 1n, idempotencyKey: newId() });
  await wallet.repayDebt(accountId, { amountMicros: 1n, idempotencyKey: newId() });
  expect(await pipeline.processing.process(accountId, id)).toEqual({ videoId, attempt: 1 });
});

test('a purchase is refused if a debt arises at the same moment', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const { id } = await pipeline.processing.quote(accountId, videoId, plain);
  let bought: Promise<unknown> | undefined;
  await pipeline.db.transaction(async ({ sql }) => {
    await chargeArrears(sql, accountId, CREDIT);
    bought = pipeline.processing.process(accountId, id);
    bought.catch(() => undefined);
    await expect.poll(() => statementsWaiting(pipeline.db.pool)).toBeGreaterThan(0);
  });
  await expect(bought).rejects.toMatchObject({ code: 'DEBT_OUTSTANDING', details: { owed: '1' } });
});

test('a purchase locks exactly the price of its quote', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId, { durationMs: 1001 });
  const quote = await pipeline.processing.quote(accountId, videoId, plain);
  await pipeline.processing.process(accountId, quote.id);

  expect((await pipeline.books(accountId)).escrow).toBe(quote.totalMicros);
  expect((await pipeline.processingOf(accountId, videoId)).priceMicros).toBe(quote.totalMicros);
});

test('invalid choices, foreign videos and unknown quotes are refused with a reason', async () => {
  const accountId = await pipeline.account(10n);
  const stranger = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const { processing } = pipeline;

  await expect(processing.quote(accountId, videoId, { ...plain, branding: true })).rejects.toMatchObject({
    code: 'BRAND_MISSING',
  });
  // The test video has no audio.
  await expect(processing.quote(accountId, videoId, { ...plain, quality: 'audio' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
  for (const quality of ['360p', '432p'] as unknown as Quality[]) {
    await expect(processing.quote(accountId, videoId, { ...plain, quality })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'Unknown quality.',
    });
  }
  await expect(processing.quote(stranger, videoId, plain)).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' });
  await expect(processing.retry(accountId, videoId)).rejects.toMatchObject({ code: 'INVALID_STATE' });

  const quote = await processing.quote(accountId, videoId, plain);
  await expect(processing.process(stranger, quote.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(processing.process(accountId, newId())).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('an expired quote, a suspended account and a deleted video buy nothing', async () => {
  const accountId = await pipeline.account(10n);
  const quotes: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const videoId = await pipeline.paperVideo(accountId);
    const quote = await pipeline.processing.quote(accountId, videoId, plain);
    quotes.push(quote.id);
    if (i === 0) await pipeline.rows(`update quote set expires_at = service_now() where id = $1`, [quote.id]);
    if (i === 1) await pipeline.videos.delete(accountId, videoId);
  }
  const [expired, deleted, suspended] = quotes;
  const buy = (id: string | undefined) => pipeline.processing.process(accountId, id!);

  await expect(buy(expired)).rejects.toMatchObject({ code: 'QUOTE_EXPIRED' });
  await expect(buy(deleted)).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' });
  await pipeline.rows('update account set suspended_at = service_now() where id = $1', [accountId]);
  await expect(buy(suspended)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
  expect(await pipeline.books(accountId)).toMatchObject({ creative: 10n * CREDIT, escrow: 0n });
});

test('the lines of a quote add up to its total despite rounding', async () => {
  const accountId = await pipeline.account(0n);
  // 7 ms: 233.33 for 1080p and 58.33 for encryption are 291.66 together.
  const videoId = await pipeline.paperVideo(accountId, { durationMs: 7, height: 1080 });
  const choice = { quality: '1080p', branding: false, encryption: true } as const;
  const { lines, totalMicros } = await pipeline.processing.quote(accountId, videoId, choice);
  expect(totalMicros).toBe(291n);
  expect(lines.map(({ item, amountMicros }) => [item, amountMicros])).toEqual([
    ['processing', '233'],
    ['encryption', '58'],
  ]);
  // 10 ms: 333.33 and 83.33 are 416 together; 14 ms: 466.66 and 116.66 are 583, one more than their floors.
  const longer = await pipeline.paperVideo(accountId, { durationMs: 14, height: 1080 });
  const quote = await pipeline.processing.quote(accountId, longer, choice);
  expect(quote.totalMicros).toBe(583n);
  expect(quote.lines.map(({ amountMicros }) => amountMicros)).toEqual(['467', '116']);
});

test('a quote for another duration than the file now has buys nothing', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const { id } = await pipeline.processing.quote(accountId, videoId, plain);
  await pipeline.rows('update video set duration_ms = 120000 where id = $1', [videoId]);
  await expect(pipeline.processing.process(accountId, id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect(await pipeline.books(accountId)).toMatchObject({ creative: 10n * CREDIT, escrow: 0n });
});

test('a video that failed twenty times cannot be bought again', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const { id } = await pipeline.processing.quote(accountId, videoId, plain);
  await pipeline.rows(`update video set status = 'failed', attempt = 20 where id = $1`, [videoId]);
  await expect(pipeline.processing.process(accountId, id)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  expect(await pipeline.books(accountId)).toMatchObject({ creative: 10n * CREDIT, escrow: 0n });
  await pipeline.rows('update video set attempt = 19 where id = $1', [videoId]);
  await expect(pipeline.processing.process(accountId, id)).resolves.toEqual({ videoId, attempt: 20 });
});

test('a partly playable video cannot be bought again, even if the rest of it failed', async () => {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const { id } = await pipeline.processing.quote(accountId, videoId, plain);
  await pipeline.rows(`update video set playable_rungs = '{480p}' where id = $1`, [videoId]);
  await expect(pipeline.processing.process(accountId, id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect(await pipeline.books(accountId)).toMatchObject({ creative: 10n * CREDIT, escrow: 0n });
});

async function count(table: 'processing' | 'escrow', accountId: string): Promise<number> {
  const [row] = await pipeline.db.sql.query<{ n: string }>(
    { name: '', text: `select count(*) as n from ${table} where account_id = $1` },
    [accountId],
  );
  return Number(row!.n);
}

async function jobs(accountId: string): Promise<number> {
  const [row] = await pipeline.db.sql.query<{ n: string }>(
    { name: '', text: `select count(*) as n from pgboss.job where name = 'process-video' and group_id = $1` },
    [accountId],
  );
  return Number(row!.n);
}
