import { randomUUID } from 'node:crypto';

import {
  sandboxId,
  type EventPayload,
  type EventSubject,
} from '../../../src/adapters/payments/sandbox/payloads/index.js';
import type { ProviderName } from '../../../src/ports/paymentProvider.js';

export const AT = new Date('2026-03-04T05:06:07Z');

/** The subject of events: a payment of 499.00 with a refund of 120.50 and a dispute over all of it. */
export function someSubject(provider: ProviderName): Required<EventSubject> {
  const stripe = provider === 'stripe';
  return {
    order: {
      orderId: sandboxId(stripe ? 'cs_test' : 'order'),
      accountId: randomUUID(),
      topUpId: randomUUID(),
      amountMinor: 49_900n,
      currency: stripe ? 'USD' : 'INR',
      description: 'Dhara credits',
      returnUrl: 'https://video.example/wallet',
      createdAt: new Date('2026-03-04T05:00:00Z'),
      expiresAt: new Date('2026-03-04T06:00:00Z'),
    },
    payment: {
      paymentId: sandboxId(stripe ? 'pi' : 'pay'),
      amountMinor: 49_900n,
      payerEmail: 'Asha.Rao+dhara@example.com',
      createdAt: new Date('2026-03-04T05:06:00Z'),
      refundedMinor: 0n,
    },
    refund: {
      refundId: sandboxId(stripe ? 're' : 'rfnd'),
      amountMinor: 12_050n,
      createdAt: new Date('2026-03-05T05:06:00Z'),
      requestKey: 'refund:one',
    },
    dispute: {
      disputeId: sandboxId(stripe ? 'du' : 'disp'),
      amountMinor: 49_900n,
      createdAt: new Date('2026-03-06T05:06:00Z'),
    },
  };
}

export function bodyOf(event: EventPayload): Buffer {
  return Buffer.from(event.body);
}
