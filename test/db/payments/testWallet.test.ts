import { describe, expect, it } from 'vitest';

import { addFact, lockTestAccount } from '../../../src/domain/accounts/testMode/testFacts.js';
import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import type { TestPayment } from '../../../src/domain/payments/testMode/testWallet.js';
import { TestWalletService } from '../../../src/domain/payments/testMode/testWallet.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { OneAtATime } from '../../../src/domain/shared/oneAtATime.js';
import { fundWallet } from '../../support/accounts.js';
import { IS_FULL } from '../../support/effort.js';
import { eventsOf } from '../../support/events/log.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const HISTORIES = IS_FULL ? 200 : 8;
const STEPS = 14;
/** What a top-up of the rig is: 100 credits, which are 10,000 paise. */
const PAID_MICROS = 100_000_000n;
const PAID_MINOR = 10_000n;

const rig = await PaymentsRig.ofFile();
const wallets = new TestWalletService(rig.db, new OneAtATime());

async function owner(): Promise<{ liveId: string; testId: string }> {
  const liveId = await rig.account();
  return { liveId, testId: await new TestModeService(rig.db).accountOf(liveId) };
}

async function figures(accountId: string): Promise<bigint[]> {
  const { availableMicros, disputeHoldMicros, debtMicros } = await wallets.wallet(accountId);
  return [availableMicros, disputeHoldMicros, debtMicros];
}

const whole = (limit: number): number => Math.floor(Math.random() * limit);

describe('the test wallet', () => {
  it(`says what the wallet of a live account says after the same payments and disputes, ${HISTORIES} times`, async () => {
    for (let history = 0; history < HISTORIES; history += 1) {
      const { liveId, testId } = await owner();
      const pairs: { facts: ReturnType<typeof factsOf>; payment: TestPayment; disputeId: string }[] = [];
      const told: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        const [available = 0n] = await figures(testId);
        const action = pairs.length === 0 ? 0 : whole(4);
        const nth = whole(pairs.length);
        const pair = pairs[nth];
        if (action === 0) {
          const facts = factsOf(await rig.topUp(liveId));
          await rig.deliver([facts.captured]);
          pairs.push({ facts, payment: await wallets.pay(testId, PAID_MICROS), disputeId: `dp-${newId()}` });
          told.push('paid');
        } else if (action === 1 && available > 0n) {
          const spent = BigInt(1 + whole(Number(available)));
          await fundWallet(rig.db, liveId, { MASTER: -spent });
          await rig.db.transaction(async ({ sql }) => {
            await lockTestAccount(sql, testId);
            await addFact(sql, { accountId: testId, id: newId(), fact: 'STORAGE_CHARGED', amountMicros: spent });
          });
          told.push(`spent ${spent}`);
        } else if (action === 2 && pair?.payment.dispute === null) {
          await rig.deliver([pair.facts.dispute(pair.disputeId, PAID_MINOR, 'open')]);
          pair.payment = await wallets.dispute(testId, pair.payment.id);
          told.push(`disputed ${nth}`);
        } else if (action === 3 && pair?.payment.dispute?.state === 'open') {
          const outcome = whole(2) === 0 ? 'won' : 'lost';
          await rig.deliver([pair.facts.dispute(pair.disputeId, PAID_MINOR, outcome)]);
          pair.payment = await wallets.endDispute(testId, pair.payment.id, outcome);
          told.push(`${outcome} ${nth}`);
        }
        const { MASTER = 0n, DISPUTE_HOLD = 0n, DEBT = 0n } = await rig.balances(liveId);
        expect([told, await figures(testId)]).toEqual([told, [MASTER, DISPUTE_HOLD, -DEBT]]);
      }
    }
  });

  it('holds what is there of a disputed payment, gives it back if won, and makes debt of what is missing if lost', async () => {
    const { testId } = await owner();
    const first = await wallets.pay(testId, 300_000_000n);
    const second = await wallets.pay(testId, 100_000_000n);
    await wallets.dispute(testId, first.id);
    await wallets.dispute(testId, null);
    expect(await figures(testId)).toEqual([0n, 400_000_000n, 0n]);
    expect((await wallets.wallet(testId)).payments.map(({ id, dispute }) => [id, dispute?.state])).toEqual([
      [second.id, 'open'],
      [first.id, 'open'],
    ]);
    await wallets.endDispute(testId, second.id, 'won');
    expect(await figures(testId)).toEqual([100_000_000n, 300_000_000n, 0n]);
    await wallets.endDispute(testId, first.id, 'lost');
    expect(await figures(testId)).toEqual([100_000_000n, 0n, 0n]);
    const types = (await eventsOf(rig.db, testId)).map(({ type }) => type);
    expect(types).toEqual(['topup.credited', 'topup.credited', 'dispute.opened', 'dispute.opened']);
  });

  it('has one dispute per payment and one end per dispute, even with concurrent calls', async () => {
    const { testId } = await owner();
    const { id } = await wallets.pay(testId, PAID_MICROS);
    const outcomes = async (asked: Promise<unknown>[]) =>
      (await Promise.allSettled(asked)).map((result) =>
        result.status === 'fulfilled' ? 'done' : String(result.reason.code),
      );
    const opened = await outcomes(Array.from({ length: 20 }, () => wallets.dispute(testId, id)));
    expect(opened.toSorted()).toEqual([...Array.from({ length: 19 }, () => 'INVALID_STATE'), 'done']);
    const ended = await outcomes(
      Array.from({ length: 20 }, (_, n) => wallets.endDispute(testId, id, n % 2 === 0 ? 'won' : 'lost')),
    );
    expect(ended.filter((outcome) => outcome === 'done')).toHaveLength(1);
    const disputes = (await eventsOf(rig.db, testId)).filter(({ type }) => type === 'dispute.opened');
    expect(disputes).toHaveLength(1);
  });

  it('is refused to live accounts, and for payments of others, and for odd amounts', async () => {
    const { liveId, testId } = await owner();
    const { testId: other } = await owner();
    const { id } = await wallets.pay(other, PAID_MICROS);
    for (const refused of [
      () => wallets.wallet(liveId),
      () => wallets.pay(liveId, PAID_MICROS),
      () => wallets.dispute(liveId, null),
      () => wallets.pay(testId, 0n),
      () => wallets.pay(testId, -1n),
      () => wallets.pay(testId, 1_000_000_000_001n),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    await expect(wallets.dispute(testId, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(wallets.endDispute(testId, 'nothing', 'won')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(wallets.endDispute(other, id, 'won')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await eventsOf(rig.db, liveId)).toEqual([]);
    // Nothing of it is in the ledger.
    expect(await rig.rows('select from ledger_account where owner_id = $1', [testId])).toEqual([]);
  });

  it('has at most 5,000 payments, disputes and their ends, even with concurrent calls, and lists 100 payments', async () => {
    const { testId } = await owner();
    const first = await wallets.pay(testId, PAID_MICROS);
    await rig.rows(
      `insert into test_fault (account_id, subject_id, fault, amount_micros, created_at)
       select $1, gen_random_uuid(), 'PAYMENT_MADE', 1, service_now() from generate_series(1, 4989)`,
      [testId],
    );
    const many = await Promise.allSettled(Array.from({ length: 15 }, () => wallets.pay(testId, 1n)));
    expect(many.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const refused of many.filter((result) => result.status === 'rejected')) {
      expect(refused.reason).toMatchObject({ code: 'LIMIT_REACHED' });
    }
    await expect(wallets.dispute(testId, first.id)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    const { availableMicros, payments } = await wallets.wallet(testId);
    expect([availableMicros, payments.length]).toEqual([PAID_MICROS + 4_999n, 100]);
    // A refused payment writes no event.
    expect(await eventsOf(rig.db, testId)).toHaveLength(11);
  });
});
