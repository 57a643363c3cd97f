/** Amounts of payment providers: exact decimal strings of rupees or dollars, counted in paise or cents. */
import { microsOf, toCredits } from './credits.js';

const MINOR_PER_UNIT = 100n;
const DECIMAL = /^(\d{1,12})(?:\.(\d{0,2}))?$/;

/** The paise or cents of "499.50"; undefined if the text is not an amount with at most two decimals. */
export function toMinor(text: string): bigint | undefined {
  const match = DECIMAL.exec(text.trim());
  if (!match) return undefined;
  return BigInt(match[1] ?? '0') * MINOR_PER_UNIT + BigInt((match[2] ?? '').padEnd(2, '0'));
}

/** Like `toMinor`, for amounts from the service, which are always valid. */
export function minorOf(amount: string): bigint {
  const minor = toMinor(amount);
  if (minor === undefined) throw new Error(`the service sent an amount that is none: ${amount}`);
  return minor;
}

/** The decimal string that the service accepts: "499.50". */
export function toAmount(minor: bigint): string {
  return `${minor / MINOR_PER_UNIT}.${(minor % MINOR_PER_UNIT).toString().padStart(2, '0')}`;
}

/** For people: "₹1,00,000.00", "$10.00". With `short`, whole amounts have no decimals. */
export function showMoney(amount: string, currency: string, short = false): string {
  const isWhole = minorOf(amount) % MINOR_PER_UNIT === 0n;
  return new Intl.NumberFormat(currency === 'INR' ? 'en-IN' : 'en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: short && isWhole ? 0 : 2,
  }).format(amount as Intl.StringNumericLiteral);
}

/** The exact value of an amount in credits. @param creditsPerUnit credits for one rupee or dollar */
export function creditsFor(minor: bigint, creditsPerUnit: string): string {
  return toCredits((minor * microsOf(creditsPerUnit)) / MINOR_PER_UNIT);
}

/** The value of credits in paise or cents, rounded down. */
export function minorFor(micros: bigint, creditsPerUnit: string): bigint {
  const microsPerUnit = microsOf(creditsPerUnit);
  return microsPerUnit > 0n ? (micros * MINOR_PER_UNIT) / microsPerUnit : 0n;
}
