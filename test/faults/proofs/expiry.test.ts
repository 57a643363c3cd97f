import { describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { releaseEscrow, settleEscrow } from '../../../src/domain/ledger/escrow.js';
import { lockForJob } from '../../support/jobs.js';
import type { AppError } from '../../../src/errors.js';
import { IS_FULL } from '../../support/effort.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { Chance } from '../../support/proofs/chance.js';

const ROUNDS = IS_FULL ? 1_000 : 60;
const MINUTE_OF_720P = 1_500_000n;
const CREDIT = 1_000_000n;

const { pipeline } = await sceneOfFile();

describe('a race with an expiry', () => {
  it(`buys a quote or refuses it, never partially, in ${ROUNDS} races with its expiry`, async () => {
    const chance = Chance.of('expiry');
    const accountId = await pipeline.account((BigInt(ROUNDS) * MINUTE_OF_720P) / CREDIT + 1n);
    const funded = (await pipeline.wallet.balances(accountId)).CREATIVE;
    let bought = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const videoId = await pipeline.paperVideo(accountId);
      const quote = await pipeline.processing.quote(accountId, videoId, {
        quality: '720p',
        branding: false,
        encryption: false,
      });
      // Some have expired by then, some have not, and some expire while the purchase waits for this very row.
      await pipeline.db.sql.query(
        {
          name: 'test-expire-soon',
          text: `update quote set expires_at = service_now() + $3 * interval '1 microsecond' where account_id = $1 and id = $2`,
        },
        [accountId, quote.id, chance.below(6_000)],
      );
      const ends = await Promise.allSettled([1, 2].map(() => pipeline.processing.process(accountId, quote.id)));
      const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as AppError] : []));
      for (const refusal of refusals) expect(refusal.code).toBe('QUOTE_EXPIRED');
      const { status, attempt } = await pipeline.videos.get(accountId, videoId);
      const isBought = refusals.length < ends.length;
      expect({ status, attempt }).toEqual(
        isBought ? { status: 'queued', attempt: 1 } : { status: 'uploaded', attempt: 0 },
      );
      if (isBought) bought += 1;
    }
    const spent = BigInt(bought) * MINUTE_OF_720P;
    expect(await pipeline.books(accountId)).toEqual({
      creative: funded - spent,
      escrow: spent,
      revenue: 0n,
      faults: 0,
    });
  });

  it(`settles or releases an escrow, once, in ${ROUNDS} races with the sweep`, async () => {
    const { db, wallet } = pipeline;
    const accountId = await pipeline.account(BigInt(ROUNDS));
    let settled = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const escrow = { accountId, videoId: newId(), attempt: 1 };
      await db.transaction(({ sql }) => lockForJob(sql, { ...escrow, bucket: 'CREATIVE', amountMicros: CREDIT }));
      const ways = [
        () => db.transaction(({ sql }) => settleEscrow(sql, { ...escrow, amountMicros: CREDIT })),
        () => db.transaction(({ sql }) => releaseEscrow(sql, escrow)),
      ];
      const [first, second] = await Promise.all((round % 2 ? ways : ways.toReversed()).map((way) => way()));
      expect([first, second].filter(Boolean)).toHaveLength(1);
      if ((round % 2 ? first : second) === true) settled += 1;
    }
    const { CREATIVE, ESCROW, REVENUE_PROCESSING } = await wallet.balances(accountId);
    expect({ CREATIVE, ESCROW, REVENUE_PROCESSING }).toEqual({
      CREATIVE: BigInt(ROUNDS - settled) * CREDIT,
      ESCROW: 0n,
      REVENUE_PROCESSING: BigInt(settled) * CREDIT,
    });
  });
});
