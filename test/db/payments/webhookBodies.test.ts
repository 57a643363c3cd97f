import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { SupportPayments } from '../../../src/domain/payments/support/supportPayments.service.js';
import { WebhookBodies } from '../../../src/domain/payments/inbox/webhookBodies.js';
import type { PaymentFact } from '../../../src/ports/paymentProvider.js';
import { bodyOf, factsOf, PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;
const DAYS = 90;

const rig = await PaymentsRig.ofFile();

interface EventRow {
  id: string;
  status: string;
  size: number;
  body_hash: Buffer;
  said: string | null;
}

describe('the bodies of old webhooks', () => {
  it('lose the payers, and keep the digest and the facts about money', async () => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    const captured = { ...facts.captured, payers: ['email:payer@example.com', 'phone:919876543210'] };
    const all = [captured, facts.refund(`rfnd_${facts.paymentId}`, 4_000n, 'processed')];
    await deliverOld(all, 'evt_old');
    const before = await rig.balances(accountId);
    expect(await bodies().redact()).toBe(1);

    const [event] = await eventsOf('evt_old');
    expect(event).toMatchObject({ status: 'done', size: 0 });
    expect(event!.body_hash).toEqual(createHash('sha256').update(bodyOf(all)).digest());
    expect(event!.said).not.toMatch(/example|9876/);
    expect(JSON.parse(event!.said!)).toMatchObject([
      { kind: 'captured', amountMinor: '10000', payers: [], accountId },
      { kind: 'refund', amountMinor: '4000', state: 'processed' },
    ]);

    // A redelivery is still the same event, and processing it again changes nothing.
    expect(await rig.receive(all, { eventId: 'evt_old' })).toBe(false);
    const support = new SupportPayments({ db: rig.db, inbox: rig.inbox });
    expect((await support.webhook(event!.id)).body).toBe(event!.said);
    await rig.rows(`update webhook_event set status = 'pending', next_attempt_at = now() where id = $1`, [event!.id]);
    await rig.settled(['evt_old']);
    expect(await eventsOf('evt_old')).toMatchObject([{ status: 'done' }]);
    expect(await rig.balances(accountId)).toEqual(before);
    expect(await rig.rows(`select from alert where subject = $1`, [facts.paymentId])).toEqual([]);
    expect(await rig.faults()).toEqual([]);
  });

  it('still count for a payment that comes later', async () => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    await deliverOld([facts.refund(`rfnd_${facts.paymentId}`, 4_000n, 'processed')], 'evt_refund');
    await deliverOld([facts.dispute(`disp_${facts.paymentId}`, 8_000n, 'lost')], 'evt_dispute');
    expect(await bodies().redact()).toBe(2);
    await rig.deliver([facts.captured]);
    expect(await rig.balances(accountId)).toEqual({});
    await rig.settled(['evt_refund', 'evt_dispute']);
    expect(await eventsOf('evt_refund')).toMatchObject([{ status: 'done', size: 0 }]);
  });

  it('are still found to contradict others', async () => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    const told = [{ ...facts.captured, accountId: 'Somebody <someone@example.com>' }];
    await deliverOld(told, 'evt_contradiction');
    expect(await bodies().redact()).toBe(1);
    const [event] = await eventsOf('evt_contradiction');
    expect(event!.said).not.toContain('example.com');
    await rig.deliver([facts.captured]);
    expect(await rig.balances(accountId)).toEqual({ SUSPENSE: 100n * CREDIT, CASH: -100n * CREDIT });
  });

  it('stay while they are young, not processed, or unreadable', async () => {
    const facts = factsOf(await rig.topUp(await rig.account()));
    await rig.deliver([facts.captured], { eventId: 'evt_young' });
    await age('evt_young', DAYS - 1);
    await rig.receive([facts.authorized], { eventId: 'evt_pending' });
    await age('evt_pending', DAYS + 1);
    const event = { eventId: 'evt_nonsense', type: 'nonsense', createdAt: new Date() };
    await rig.inbox.receive('razorpay', event, Buffer.from('{'));
    await rig.inbox.drain();
    await rig.rows(`update webhook_event set status = 'pending' where event_id = 'evt_pending'`);
    await age('evt_nonsense', DAYS + 1);
    expect(await bodies().redact()).toBe(0);
    expect((await eventsOf('evt_young'))[0]!.size).toBeGreaterThan(0);
    await bodies(7).redact();
    expect((await eventsOf('evt_young'))[0]!.size).toBe(0);
    for (const eventId of ['evt_pending', 'evt_nonsense']) {
      expect((await eventsOf(eventId))[0]!.size).toBeGreaterThan(0);
    }
  });

  it('are redacted in batches, each once', async () => {
    for (let nth = 0; nth < 450; nth += 1) await rig.receive([], { eventId: `evt_many_${nth}` });
    await rig.inbox.drain();
    await age('evt_many_%', DAYS + 1);
    const [here, there] = await Promise.all([bodies().redact(), bodies().redact()]);
    expect(here + there).toBe(450);
    expect(await bodies().redact(AbortSignal.abort())).toBe(0);
  });

  it('of one account are removed, even with many older ones that cannot be read here', async () => {
    const accountId = await rig.account();
    for (let nth = 0; nth < 200; nth += 1) await rig.receive([], { eventId: `evt_stripe_${nth}`, provider: 'stripe' });
    await rig.receive([], { eventId: 'evt_razorpay' });
    await rig.inbox.drain();
    await age('evt_stripe_%', DAYS + 2);
    await age('evt_razorpay', DAYS + 1);
    await rig.rows(
      `update webhook_event set account_id = $1 where event_id like 'evt_stripe_%' or event_id = 'evt_razorpay'`,
      [accountId],
    );
    const withoutStripe = new WebhookBodies({
      db: rig.db,
      providers: new Map([['razorpay', rig.razorpay]]),
      keepDays: DAYS,
    });
    expect(await withoutStripe.redactOf(accountId)).toBe(1);
    expect(await bodies().redactOf(accountId)).toBe(200);
  });
});

describe('a redaction', () => {
  it('is refused in a body’s first week, no matter what the service asks for', async () => {
    const facts = factsOf(await rig.topUp(await rig.account()));
    await rig.deliver([facts.captured], { eventId: 'evt_week' });
    const [event] = await eventsOf('evt_week');
    const redact = () => rig.db.sql.query({ name: '', text: `select redact_webhook($1, '[]') as done` }, [event!.id]);
    expect(await redact()).toEqual([{ done: false }]);
    expect(await bodies(0).redact()).toBe(0);
    await age('evt_week', 6.99);
    expect(await redact()).toEqual([{ done: false }]);
    await age('evt_week', 7.01);
    expect(await redact()).toEqual([{ done: true }]);
  });

  it('is the only change of a body that the service and the owner of the tables can make', async () => {
    const facts = factsOf(await rig.topUp(await rig.account()));
    await deliverOld([facts.captured], 'evt_forged');
    const [event] = await eventsOf('evt_forged');
    const asService = (text: string) => rig.db.sql.query({ name: '', text }, [event!.id]);
    await expect(asService(`update webhook_event set redacted_at = now() where id = $1`)).rejects.toThrow('permission');
    await expect(rig.rows(`update webhook_event set body = 'x' where id = $1`, [event!.id])).rejects.toThrow(
      'redacted',
    );
    await expect(
      rig.rows(`update webhook_event set body = 'x', redacted_at = now() where id = $1`, [event!.id]),
    ).rejects.toThrow('redacted');
    expect(await bodies().redact()).toBe(1);
    expect(await asService(`select redact_webhook($1, '[]') as done`)).toEqual([{ done: false }]);
    await expect(
      rig.rows(`update webhook_event set facts = '[]', redacted_at = now() where id = $1`, [event!.id]),
    ).rejects.toThrow('once');
  });
});

function bodies(keepDays = DAYS): WebhookBodies {
  return new WebhookBodies({ db: rig.db, providers: rig.providers, keepDays });
}

/** Delivers an event that is processed and was received long enough ago to be redacted. */
async function deliverOld(facts: readonly PaymentFact[], eventId: string): Promise<void> {
  await rig.deliver(facts, { eventId });
  await age(eventId, DAYS + 1);
}

/** Runs as the superuser without the trigger that protects the times. */
async function age(eventId: string, days: number): Promise<void> {
  const owner = await rig.admin.connect();
  try {
    await owner.query('set session_replication_role = replica');
    const text = `update webhook_event set received_at = now() - $2 * interval '1 day' where event_id like $1`;
    await owner.query(text, [eventId, days]);
    await owner.query('set session_replication_role = origin');
  } finally {
    owner.release();
  }
}

function eventsOf(eventId: string): Promise<EventRow[]> {
  return rig.rows<EventRow & Record<string, unknown>>(
    `select id, status, length(body) as size, body_hash, facts::text as said from webhook_event where event_id = $1`,
    [eventId],
  );
}
