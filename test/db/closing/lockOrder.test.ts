import { afterAll, beforeAll, expect, it } from 'vitest';

import { lockWallet } from '../../../src/domain/ledger/lockWallet.js';
import type { ClosingRow } from '../../../src/domain/operations/closing/closing.sql.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { adjustByStaff, correct } from '../../support/accounts.js';
import { ClosingRig, CREDIT } from '../../support/closing/rig.js';
import { deadlocks } from '../../support/database/deadlocks.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';
import { IS_FULL } from '../../support/effort.js';
import { factsOf } from '../../support/payments.js';

const ROUNDS = IS_FULL ? 300 : 12;

let rig: ClosingRig;
beforeAll(async () => {
  rig = await ClosingRig.start();
});
afterAll(async () => {
  expect(await rig.payments.faults()).toEqual([]);
  await rig.stop();
});

/** An erased account to which 100 rupees are paid afterwards. */
async function owed() {
  const { accountId } = await rig.owner();
  const topUp = await rig.payments.topUp(accountId);
  await rig.erasures.eraseNow(accountId, 'request by law');
  const facts = factsOf(topUp);
  await rig.payments.deliver([facts.captured]);
  const [closing] = await rig.rows<ClosingRow>(
    'select account_id, id, closed_at, erase_after from account_closing where account_id = $1',
    [accountId],
  );
  return { accountId, topUp, facts, closing: closing! };
}

const unmark = (accountId: string) =>
  rig.payments.admin.query('update account_closing set owed_at = null where account_id = $1', [accountId]);

it.each([
  ['a pass of the chore', ({ closing }: Awaited<ReturnType<typeof owed>>) => rig.closings.settle(closing)],
  [
    'a refund for the closing',
    ({ accountId, topUp }: Awaited<ReturnType<typeof owed>>) =>
      rig.payments.refunds.refundForClosing(accountId, { topUpId: topUp.id, amountMinor: 1_000n, key: newId() }),
  ],
])('%s takes the wallet before the row of the closing', async (_, act) => {
  const account = await owed();
  const { accountId } = account;
  await unmark(accountId);
  let acted: Promise<unknown> = Promise.resolve();
  await rig.payments.db.transaction(async (tx) => {
    await lockWallet(tx.sql, accountId);
    acted = act(account);
    await expect.poll(() => statementsWaiting(rig.payments.admin)).toBe(1);
    // Marks the closing.
    await correct(rig.payments.wallet, tx, { accountId, amountMicros: CREDIT });
  });
  await acted;
});

it(`a settlement, refunds, a dispute and adjustments of one erased account never deadlock, ${ROUNDS} times`, async () => {
  const { refunds, db } = rig.payments;
  const before = await deadlocks(db.sql);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { accountId, topUp, facts, closing } = await owed();
    await unmark(accountId);
    const refund = () =>
      refunds.refundForClosing(accountId, { topUpId: topUp.id, amountMinor: 500n, key: newId() }).catch(refusal);
    await Promise.all([
      rig.closings.settle(closing),
      rig.payments.deliver([facts.dispute(`dp-${topUp.id}`, 3_000n, 'open')]),
      rig.closings.settle(closing),
      adjustByStaff(db, accountId, CREDIT),
      refund(),
      rig.payments.deliver([facts.refund(`re-${topUp.id}`, 1_000n, 'processed')]),
      refund(),
      adjustByStaff(db, accountId, CREDIT),
    ]);
  }
  // The inbox repeats what a deadlock has ended.
  expect(await deadlocks(db.sql)).toBe(before);
});

/** Another one was faster. A deadlock is no such error. */
function refusal(error: unknown): void {
  expect(error).toMatchObject({
    code: expect.stringMatching(/^(?:INVALID_INPUT|INSUFFICIENT_CREDITS|DEBT_OUTSTANDING)$/),
  });
}
