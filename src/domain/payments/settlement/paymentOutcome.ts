import type { PaymentFact } from '../../../ports/paymentProvider.js';
import { MAX_MICROS } from '../../ledger/credits.js';
import type { Mismatch, PaymentRow } from './payment.sql.js';
import type { TopUp } from '../topUps/topUp.js';

export type CapturedFact = Extract<PaymentFact, { kind: 'captured' }>;

/**
 * Returns `null` if the payment matches its top-up in everything that the provider reports back.
 *
 * @param sandbox whether the provider that reports it is the sandbox
 */
export function mismatchOf(
  paymentId: string,
  fact: CapturedFact,
  orderId: string | null,
  topUp: TopUp | null,
  sandbox: boolean,
): Mismatch | null {
  if (topUp === null) return 'unknown order';
  // Reported by the sandbox but posted after real keys were set up, or the other way round.
  if (topUp.sandbox !== sandbox) return 'play money';
  if (topUp.orderId === null || (fact.orderId ?? orderId) !== topUp.orderId) return 'other order';
  if (fact.accountId !== null && fact.accountId !== topUp.accountId) return 'other account';
  if (fact.topUpId !== null && fact.topUpId !== topUp.id) return 'other order';
  if (fact.currency !== topUp.currency) return 'other currency';
  if (fact.amountMinor !== topUp.amountMinor) return 'other amount';
  if (topUp.paymentId !== null && topUp.paymentId !== paymentId) return 'second payment';
  return null;
}

/**
 * Why a payment belongs in suspense, whatever other facts say: this fact and the payment's top-up cannot both be true.
 * Does not depend on the order of facts.
 */
export function contradictionOf(row: PaymentRow, fact: PaymentFact, topUp: TopUp): Mismatch | null {
  if (fact.kind === 'captured') {
    return mismatchOf(row.payment_id, fact, row.order_id, { ...topUp, paymentId: null }, topUp.sandbox);
  }
  const isElsewhere = 'orderId' in fact && fact.orderId !== null && fact.orderId !== topUp.orderId;
  return isElsewhere ? 'other order' : null;
}

const MICROS_PER_PAISA = 10_000n;
/** No provider accepts that much at once. Such an amount is an error itself, and could overflow SUSPENSE. */
const MAX_SUSPENSE_MICROS = MAX_MICROS / 1_000_000n;

/**
 * Micro-credits of one minor unit of money that is not credited; `null` if no rate was agreed for it, or if the amount
 * exceeds what the books can hold.
 */
export function suspenseRate(
  { currency, amount_minor: amountMinor }: Pick<PaymentRow, 'currency' | 'amount_minor'>,
  topUp: TopUp | null,
): bigint | null {
  const rate = currency === topUp?.currency ? topUp.microsPerMinor : currency === 'INR' ? MICROS_PER_PAISA : null;
  return rate === null || BigInt(amountMinor ?? 0) * rate > MAX_SUSPENSE_MICROS ? null : rate;
}
