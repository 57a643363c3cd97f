import type { PaymentFact } from '../../ports/paymentProvider.js';
import type { TopUp } from './topUp.js';

/** Why a captured payment is not credited. */
export type Mismatch =
  | 'unknown order'
  | 'other order'
  | 'other account'
  | 'play money'
  | 'other amount'
  | 'other currency'
  | 'second payment';

export type CapturedFact = Extract<PaymentFact, { kind: 'captured' }>;

/**
 * `null` where the payment is what its top-up asked for, to the last word that the provider gives us back.
 *
 * @param sandbox whether the provider that tells it is the sandbox
 */
export function mismatchOf(
  paymentId: string,
  fact: CapturedFact,
  orderId: string | null,
  topUp: TopUp | null,
  sandbox: boolean,
): Mismatch | null {
  if (topUp === null) return 'unknown order';
  // Told by the sandbox and booked once there are real keys, or the other way round.
  if (topUp.sandbox !== sandbox) return 'play money';
  if (topUp.checkout === null || (fact.orderId ?? orderId) !== topUp.checkout.orderId) return 'other order';
  if (fact.accountId !== null && fact.accountId !== topUp.accountId) return 'other account';
  if (fact.topUpId !== null && fact.topUpId !== topUp.id) return 'other order';
  if (fact.currency !== topUp.currency) return 'other currency';
  if (fact.amountMinor !== topUp.amountMinor) return 'other amount';
  if (topUp.paymentId !== null && topUp.paymentId !== paymentId) return 'second payment';
  return null;
}

const MICROS_PER_PAISA = 10_000n;

/** Micro-credits of one minor unit of money that is not credited; `null` where nobody agreed on a rate for it. */
export function suspenseRate(currency: string, topUp: TopUp | null): bigint | null {
  if (currency === topUp?.currency) return topUp.microsPerMinor;
  return currency === 'INR' ? MICROS_PER_PAISA : null;
}
