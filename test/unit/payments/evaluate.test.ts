import { describe, expect, it } from 'vitest';

import {
  evaluate,
  type DisputeFacts,
  type PaymentFacts,
  type RefundFacts,
} from '../../../src/domain/payments/settlement/evaluate.js';

const NOTHING: PaymentFacts = { receivedMicros: 100n, refunds: [], disputes: [], requests: [] };

function refund(refundId: string, amountMicros: bigint, more: Partial<RefundFacts> = {}): RefundFacts {
  return { refundId, amountMicros, state: 'processed', createdAt: new Date(0), requestId: null, ...more };
}

function dispute(disputeId: string, amountMicros: bigint, state: DisputeFacts['state'] = 'open'): DisputeFacts {
  return { disputeId, amountMicros, state, createdAt: new Date(0) };
}

describe('evaluate', () => {
  it('counts nothing before the payment is captured', () => {
    const facts = { ...NOTHING, receivedMicros: 0n, refunds: [refund('r', 40n)], disputes: [dispute('d', 40n)] };
    expect(evaluate(facts)).toMatchObject({ refunds: [{ countedMicros: 0n }], disputedMicros: 0n });
  });

  it('counts refunds, then lost disputes, then open ones, and never more than was paid', () => {
    const facts = {
      ...NOTHING,
      refunds: [refund('r', 40n)],
      disputes: [dispute('open', 50n), dispute('lost', 30n, 'lost'), dispute('won', 90n, 'won')],
    };
    const { refunds, disputes, disputedMicros } = evaluate(facts);
    expect(refunds.map((one) => one.countedMicros)).toEqual([40n]);
    expect(disputes.map((one) => [one.disputeId, one.lostMicros, one.openMicros])).toEqual([
      ['lost', 30n, 0n],
      ['open', 0n, 30n],
      ['won', 0n, 0n],
    ]);
    expect(disputedMicros).toBe(30n);
  });

  it('counts the older refund first, in whatever order they are reported', () => {
    const [older, newer] = [refund('b', 70n), refund('a', 70n, { createdAt: new Date(1) })];
    const countedOf = (refunds: RefundFacts[]) =>
      evaluate({ ...NOTHING, refunds }).refunds.map((one) => [one.refundId, one.countedMicros]);
    expect(countedOf([older, newer])).toEqual([
      ['b', 70n],
      ['a', 30n],
    ]);
    expect(countedOf([newer, older])).toEqual(countedOf([older, newer]));
    expect(countedOf([{ ...older, state: 'failed' }, newer])).toEqual([
      ['b', 0n],
      ['a', 70n],
    ]);
  });

  it('settles a hold with its refund, returns it with a failed one, and keeps it out of disputes until then', () => {
    const requests = [{ requestId: 'q', heldMicros: 40n, status: 'requested' as const }];
    const waiting = evaluate({ ...NOTHING, requests, disputes: [dispute('d', 100n)] });
    expect([waiting.disputedMicros, waiting.requests.get('q')]).toEqual([60n, 'requested']);
    const settled = evaluate({ ...NOTHING, requests, refunds: [refund('r', 40n, { requestId: 'q' })] });
    expect(settled.refunds).toMatchObject([{ countedMicros: 40n, fromHoldMicros: 40n }]);
    expect(settled.requests.get('q')).toBe('settled');
    const failed = evaluate({ ...NOTHING, requests, refunds: [refund('r', 40n, { requestId: 'q', state: 'failed' })] });
    expect(failed.refunds).toMatchObject([{ countedMicros: 0n, fromHoldMicros: 0n }]);
    expect(failed.requests.get('q')).toBe('returned');
  });

  it('does not settle a hold that was returned', () => {
    const requests = [{ requestId: 'q', heldMicros: 40n, status: 'refused' as const }];
    const desired = evaluate({ ...NOTHING, requests, refunds: [refund('r', 40n, { requestId: 'q' })] });
    expect(desired.refunds).toMatchObject([{ countedMicros: 40n, fromHoldMicros: 0n, requestId: null }]);
    expect(desired.requests.get('q')).toBe('refused');
  });
});
