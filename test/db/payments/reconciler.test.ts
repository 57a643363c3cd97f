import { describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;
const MINUTE_MS = 60_000;

const rig = await PaymentsRig.ofFile();

async function alertsOf(subject: string): Promise<string[]> {
  const rows = await rig.rows<{ kind: string }>('select kind from alert where subject = $1 and resolved_at is null', [
    subject,
  ]);
  return rows.map((row) => row.kind);
}

describe('a payment that the provider reports as paid without a webhook', () => {
  it('is not credited, alerts staff once after 15 minutes, and is credited when the webhook comes', async () => {
    const { migrationUrl } = rig.database;
    await installVirtualClock(migrationUrl);
    const accountId = await rig.account();
    const topUp = await rig.topUp(accountId);
    const facts = factsOf(topUp);
    const { amountMinor, currency } = topUp;
    rig.razorpay.payments.set(topUp.checkout!.orderId, [{ paymentId: facts.paymentId, amountMinor, currency }]);
    const missing = async () => (await rig.topUps.get(accountId, topUp.id)).webhookMissingSince;
    // The only webhook says that the payment was authorised.
    await rig.deliver([facts.authorized]);

    for (const [minutes, isMissing] of [
      [9, false],
      [11, false],
      [16, true],
      [27, true],
    ] as const) {
      await setClockOffset(migrationUrl, minutes * MINUTE_MS);
      await rig.reconciler.reconcile();
      expect((await missing()) !== null, `after ${minutes} minutes`).toBe(isMissing);
    }
    expect(await rig.balances(accountId)).toEqual({});
    expect(await rig.rows('select kind, times from alert where subject = $1', [topUp.id])).toEqual([
      { kind: 'payment.webhook_missing', times: 1 },
    ]);

    await rig.deliver([facts.captured]);
    await rig.deliver([facts.orderPaid]);
    expect(await rig.balances(accountId)).toEqual({ MASTER: 100n * CREDIT, CASH: -100n * CREDIT });
    expect(await missing()).toBeNull();
    expect(await alertsOf(topUp.id)).toEqual([]);
  });

  it('is looked for ever more rarely if only its refund is known', async () => {
    const { migrationUrl } = rig.database;
    await installVirtualClock(migrationUrl);
    const facts = factsOf(await rig.topUp(await rig.account()), `pay_${newId()}`);
    const eventId = newId();
    await rig.deliver([facts.refund(newId(), 100n, 'processed')], { eventId });
    const hoursAhead = async () => {
      const [row] = await rig.rows<{ hours: string }>(
        `select round(extract(epoch from next_attempt_at - service_now()) / 3600) as hours
         from webhook_event where event_id = $1`,
        [eventId],
      );
      return Number(row!.hours);
    };
    expect(await hoursAhead()).toBe(1);
    await setClockOffset(migrationUrl, 10 * 60 * MINUTE_MS);
    await rig.inbox.drain();
    expect(await hoursAhead()).toBe(10);
    await setClockOffset(migrationUrl, 0);
  });

  it('expires its top-up if nobody paid, and is no longer asked for a day later', async () => {
    const { migrationUrl } = rig.database;
    await installVirtualClock(migrationUrl);
    const topUp = await rig.topUp(await rig.account());
    await setClockOffset(migrationUrl, 25 * 60 * MINUTE_MS);
    await rig.reconciler.reconcile();
    const row = () => rig.rows('select status, next_check_at is null as done from topup where id = $1', [topUp.id]);
    expect(await row()).toEqual([{ status: 'expired', done: false }]);
    await setClockOffset(migrationUrl, 50 * 60 * MINUTE_MS);
    await rig.reconciler.reconcile();
    expect(await row()).toEqual([{ status: 'expired', done: true }]);
    await setClockOffset(migrationUrl, 0);
  });
});
