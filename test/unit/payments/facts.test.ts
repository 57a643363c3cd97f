import { describe, expect, it } from 'vitest';

import { razorpayFacts } from '../../../src/adapters/payments/razorpay/facts.js';
import {
  RAZORPAY_EVENTS,
  razorpayEvent,
  STRIPE_EVENTS,
  stripeEvent,
} from '../../../src/adapters/payments/sandbox/payloads/index.js';
import { stripeFacts } from '../../../src/adapters/payments/stripe/facts.js';
import { CARD_SAMPLE, RAZORPAY_SAMPLES, SPEED_CHANGED_SAMPLE } from './razorpaySamples.js';
import { AT, bodyOf, someSubject } from '../../support/payments/subject.js';

const buffer = (body: unknown) => Buffer.from(JSON.stringify(body));
const sampleFacts = (name: string) => razorpayFacts(buffer(RAZORPAY_SAMPLES[name]));
const at = (epochSeconds: number) => new Date(epochSeconds * 1000);

describe('facts of Razorpay’s published samples', () => {
  it('include a payment by UPI, authorized and captured', () => {
    const known = { paymentId: 'pay_DESyzxuld02Zul', orderId: 'order_DESxiijbl9xjDB' };
    expect(sampleFacts('payment.authorized')).toEqual([{ kind: 'authorized', ...known, at: at(1_567_675_356) }]);
    expect(sampleFacts('payment.captured')).toEqual([
      {
        kind: 'captured',
        ...known,
        amountMinor: 100n,
        currency: 'INR',
        capturedAt: at(1_567_675_356),
        accountId: null,
        topUpId: null,
        payers: ['email:gaurav.kumar@example.com', 'phone:919876543210', 'vpa:gaurav.kumar@upi'],
      },
    ]);
  });

  it('include a payment by card, with the card among the payers', () => {
    const [fact] = razorpayFacts(buffer(CARD_SAMPLE));
    expect(fact).toMatchObject({ kind: 'captured', paymentId: 'pay_DESp9bgForNoUd', capturedAt: at(1_691_735_748) });
    expect(fact).toHaveProperty('payers', [
      'email:gaurav.kumar@example.com',
      'phone:919876543210',
      'card:card_DESp9fNnu0RoNc',
    ]);
  });

  it('include a failed payment and a paid order', () => {
    expect(sampleFacts('payment.failed')).toEqual([
      { kind: 'failed', paymentId: 'pay_DEAU825sJlCbGa', orderId: 'order_DEATVTRRctwEGb', at: at(1_567_610_215) },
    ]);
    expect(sampleFacts('order.paid')[0]).toMatchObject({
      kind: 'captured',
      paymentId: 'pay_DESlfW9H8K9uqM',
      orderId: 'order_DESlLckIVRkHWj',
      capturedAt: at(1_567_674_606),
    });
  });

  it.each([
    ['refund.created', 'pending'],
    ['refund.processed', 'processed'],
    ['refund.failed', 'failed'],
  ])('include a refund for %s that is %s', (name, state) => {
    expect(sampleFacts(name)).toEqual([
      {
        kind: 'refund',
        refundId: 'rfnd_FS8TWyPrCsa0OB',
        paymentId: 'pay_FPoJKWQQ8lK13n',
        amountMinor: 50_000n,
        currency: 'INR',
        state,
        createdAt: at(1_597_734_071),
        requestKey: null,
      },
    ]);
  });

  it.each([
    ['payment.dispute.created', 'open'],
    ['payment.dispute.under_review', 'open'],
    ['payment.dispute.action_required', 'open'],
    ['payment.dispute.won', 'won'],
    ['payment.dispute.lost', 'lost'],
    ['payment.dispute.closed', 'won'],
  ])('include a dispute for %s that is %s', (name, state) => {
    expect(sampleFacts(name)).toEqual([
      {
        kind: 'dispute',
        disputeId: 'disp_EsIAlDcoUr8CaQ',
        paymentId: 'pay_EFtmUsbwpXwBHI',
        amountMinor: 39_000n,
        currency: 'INR',
        state,
        lostMinor: state === 'lost' ? 39_000n : null,
        isReturned: state === 'won',
        createdAt: at(1_589_907_957),
      },
    ]);
  });

  it('treat a dispute that was closed after money was taken as lost', () => {
    const sample = JSON.stringify(RAZORPAY_SAMPLES['payment.dispute.closed']);
    const body = Buffer.from(sample.replace('"amount_deducted":0', '"amount_deducted":39000'));
    expect(razorpayFacts(body)[0]).toMatchObject({ state: 'lost', lostMinor: 39_000n });
  });

  it.each(['payment.dispute.lost', 'payment.dispute.closed'])('include how much of a dispute is lost: %s', (name) => {
    const sample = JSON.stringify(RAZORPAY_SAMPLES[name]);
    const body = Buffer.from(sample.replace(/"amount_deducted":\d+/, '"amount_deducted":12000'));
    expect(razorpayFacts(body)[0]).toMatchObject({ state: 'lost', amountMinor: 39_000n, lostMinor: 12_000n });
  });

  it('are empty for other events', () => {
    expect(razorpayFacts(buffer(SPEED_CHANGED_SAMPLE))).toEqual([]);
    expect(stripeFacts(buffer({ type: 'customer.created', data: {} }))).toEqual([]);
  });
});

describe('undocumented webhooks', () => {
  const captured = JSON.stringify(RAZORPAY_SAMPLES['payment.captured']);

  it.each([
    ['text that is not JSON', 'captured!'],
    ['an object that is not an event', '{}'],
    ['an amount with decimals', captured.replace('"amount":100', '"amount":100.5')],
    ['an amount that a double rounds', captured.replace('"amount":100', '"amount":9007199254740993')],
    ['a negative amount', captured.replace('"amount":100', '"amount":-100')],
    ['an amount as text', captured.replace('"amount":100', '"amount":"100"')],
    ['a missing currency', captured.replace('"currency":"INR"', '"currency":""')],
    ['a missing time', captured.replace(/,"created_at":1567675356}$/, '}')],
  ])('throw an error for %s, without its values', (_, body) => {
    expect(body).not.toBe(captured);
    expect(() => razorpayFacts(Buffer.from(body))).toThrow(/not as documented/);
    expect(() => razorpayFacts(Buffer.from(body))).not.toThrow(/gaurav/);
  });
});

describe('webhooks of the sandbox', () => {
  it.each([...RAZORPAY_EVENTS])('have every field of the published sample: %s', (type) => {
    const made: unknown = JSON.parse(razorpayEvent(type, someSubject('razorpay'), AT).body);
    const documented = fieldsOf(RAZORPAY_SAMPLES[type]).filter((path) => !path.includes('.notes'));
    // There, each payment method has its own reference.
    const renamed = documented.map((path) => path.replace('bank_transaction_id', 'rrn'));
    expect(fieldsOf(made)).toEqual(expect.arrayContaining(renamed));
  });

  it('have our ids, amounts and times for Razorpay', () => {
    const subject = someSubject('razorpay');
    const { orderId, accountId, topUpId } = subject.order;
    const { paymentId } = subject.payment;
    for (const type of ['payment.captured', 'order.paid'] as const) {
      const [fact] = razorpayFacts(bodyOf(razorpayEvent(type, subject, AT)));
      const ours = { paymentId, orderId, accountId, topUpId };
      expect(fact).toMatchObject({ kind: 'captured', ...ours, amountMinor: 49_900n, currency: 'INR', capturedAt: AT });
      expect(fact).toHaveProperty('payers', expect.arrayContaining(['email:asha.rao@example.com']));
    }
    const [refund] = razorpayFacts(bodyOf(razorpayEvent('refund.processed', subject, AT)));
    const { refundId, createdAt } = subject.refund;
    expect(refund).toMatchObject({ refundId, paymentId, createdAt, amountMinor: 12_050n, requestKey: 'refund:one' });
  });

  it.each([...STRIPE_EVENTS])('are a fact about our payment: %s', (type) => {
    const subject = someSubject('stripe');
    const [fact] = stripeFacts(bodyOf(stripeEvent(type, subject, AT)));
    expect(fact).toMatchObject({ paymentId: subject.payment.paymentId });
  });

  it('have our ids, amounts and times for Stripe', () => {
    const subject = someSubject('stripe');
    const { orderId, accountId, topUpId } = subject.order;
    const [fact] = stripeFacts(bodyOf(stripeEvent('checkout.session.completed', subject, AT)));
    const ours = { paymentId: subject.payment.paymentId, orderId, accountId, topUpId };
    expect(fact).toMatchObject({ kind: 'captured', ...ours, amountMinor: 49_900n, currency: 'USD', capturedAt: AT });
    const unpaid = stripeFacts(bodyOf(stripeEvent('checkout.session.completed', subject, AT, { paid: false })));
    expect(unpaid).toEqual([{ kind: 'authorized', paymentId: ours.paymentId, orderId, at: AT }]);
  });

  it.each([
    ['refund.created', 'pending'],
    ['refund.updated', 'processed'],
    ['refund.failed', 'failed'],
  ] as const)('have a refund in Stripe’s %s that is %s', (type, state) => {
    const [fact] = stripeFacts(bodyOf(stripeEvent(type, someSubject('stripe'), AT)));
    expect(fact).toMatchObject({ kind: 'refund', state, amountMinor: 12_050n, requestKey: 'refund:one' });
  });

  it.each([
    ['won', 'won'],
    ['lost', 'lost'],
    ['warning_closed', 'won'],
    ['prevented', 'won'],
  ])('have a Stripe dispute closed as %s that is %s', (status, state) => {
    const { body } = stripeEvent('charge.dispute.closed', someSubject('stripe'), AT);
    const changed = body.replace('"status": "won"', `"status": "${status}"`);
    const isReturned = state === 'won';
    expect(stripeFacts(Buffer.from(changed))[0]).toMatchObject({ kind: 'dispute', state, isReturned });
  });

  it('report reinstated funds as returned, whatever the status of the dispute', () => {
    const { body } = stripeEvent('charge.dispute.funds_reinstated', someSubject('stripe'), AT);
    for (const status of ['lost', 'under_review', 'won']) {
      const told = Buffer.from(body.replace('"status": "won"', `"status": "${status}"`));
      expect(stripeFacts(told)[0]).toMatchObject({ kind: 'dispute', isReturned: true });
    }
  });

  it('have different payer marks for different payers', () => {
    const subject = someSubject('razorpay');
    const other = { ...subject, payment: { ...subject.payment, payerEmail: 'someone@example.org' } };
    const [first] = razorpayFacts(bodyOf(razorpayEvent('payment.captured', subject, AT)));
    const [second] = razorpayFacts(bodyOf(razorpayEvent('payment.captured', other, AT)));
    const marks = [first, second].flatMap((fact) => (fact?.kind === 'captured' ? fact.payers : []));
    expect(new Set(marks).size).toBe(marks.length);
    expect(marks.length).toBe(6);
  });
});

/** The paths of all fields, such as `payload.payment.entity.id`, with list items under `[]`. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [here, ...fieldsOf(part, here)];
  });
}
