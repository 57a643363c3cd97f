import { AppError } from '../../../errors.js';
import type { Currency } from '../../../ports/paymentProvider.js';

/**
 * The limits of one top-up in minor units: INR 1 to 500,000, USD 0.50 to 5,000. The minimum is what the currency's
 * provider accepts (Razorpay: 1 rupee, Stripe: 50 cents); we have no minimum of our own.
 */
export const TOPUP_LIMITS: Readonly<Record<Currency, { readonly minMinor: bigint; readonly maxMinor: bigint }>> = {
  INR: { minMinor: 100n, maxMinor: 50_000_000n },
  USD: { minMinor: 50n, maxMinor: 500_000n },
};

const MINOR_PER_MAJOR = 100n;
const DECIMAL = /^(\d{1,12})(?:\.(\d{1,2}))?$/;

/**
 * Parses a decimal string of rupees or dollars into paise or cents, exactly.
 *
 * @throws INVALID_INPUT for anything else, including more than two decimals
 */
export function parseAmount(text: string): bigint {
  const match = DECIMAL.exec(text);
  if (!match) throw new AppError('INVALID_INPUT', 'An amount is a decimal number with at most two decimals.');
  return BigInt(match[1]!) * MINOR_PER_MAJOR + BigInt((match[2] ?? '').padEnd(2, '0'));
}

/** Formats paise or cents as a decimal string with two decimals: `123450n` → `"1234.50"`. */
export function formatAmount(amountMinor: bigint): string {
  const cents = (amountMinor % MINOR_PER_MAJOR).toString().padStart(2, '0');
  return `${amountMinor / MINOR_PER_MAJOR}.${cents}`;
}
