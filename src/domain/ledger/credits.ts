import { AppError } from '../../errors.js';

/** 1 credit = 1 INR = 1,000,000 micro-credits. The code always handles money as a `bigint` of micro-credits. */
export const MICROS_PER_CREDIT = 1_000_000n;

/** The maximum of a `bigint` column. */
export const MAX_MICROS = (1n << 63n) - 1n;
const DECIMAL = /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/;

/** Formats micro-credits as a decimal string of credits, without trailing zeros: `12500000n` → `"12.5"`. */
export function formatCredits(amountMicros: bigint): string {
  const absolute = amountMicros < 0n ? -amountMicros : amountMicros;
  const fraction = (absolute % MICROS_PER_CREDIT).toString().padStart(6, '0').replace(/0+$/, '');
  const whole = (absolute / MICROS_PER_CREDIT).toString();
  return `${amountMicros < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/**
 * Parses a decimal string of credits into micro-credits, exactly.
 *
 * @throws INVALID_INPUT for anything else: exponents, more than six decimals (never rounded), more than the ledger
 * holds
 */
export function parseCredits(text: string): bigint {
  const match = DECIMAL.exec(text);
  if (!match) {
    throw new AppError('INVALID_INPUT', 'An amount of credits must be a decimal number with at most six decimals.');
  }
  const micros = BigInt(match[2]!) * MICROS_PER_CREDIT + BigInt((match[3] ?? '').padEnd(6, '0'));
  if (micros > MAX_MICROS) throw new AppError('INVALID_INPUT', 'That amount of credits is too large.');
  return match[1] === '-' ? -micros : micros;
}
