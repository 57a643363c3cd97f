/**
 * Money of the payment providers: exact decimal strings of rupees or dollars, counted in paise or cents.
 */
import { microsOf, toCredits } from './credits.js';

const MINOR_PER_UNIT = 100n;
const DECIMAL = /^(\d{1,12})(?:\.(\d{0,2}))?$/;

/** The paise or cents of "499.50"; undefined where the text is no amount with at most two decimals. */
export function toMinor(text: string): bigint | undefined {
  const match = DECIMAL.exec(text.trim());
  if (!match) return undefined;
  return BigInt(match[1] ?? '0') * MINOR_PER_UNIT + BigInt((match[2] ?? '').padEnd(2, '0'));
}

/** As `toMinor`, for amounts that came from the service and are therefore right. */
export function minorOf(amount: string): bigint {
  const minor = toMinor(amount);
  if (minor === undefined) throw new Error(`the service sent an amount that is none: ${amount}`);
  return minor;
}

/** The decimal string the service takes: "499.50". */
export function toAmount(minor: bigint): string {
  return `${minor / MINOR_PER_UNIT}.${(minor % MINOR_PER_UNIT).toString().padStart(2, '0')}`;
}

/** For people: "₹1,00,000.00", "$10.00". Whole amounts lose their zeros where `short`. */
export function showMoney(amount: string, currency: string, short = false): string {
  const isWhole = minorOf(amount) % MINOR_PER_UNIT === 0n;
  return new Intl.NumberFormat(currency === 'INR' ? 'en-IN' : 'en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: short && isWhole ? 0 : 2,
  }).format(amount as Intl.StringNumericLiteral);
}

/** What an amount is worth in credits, exactly. @param creditsPerUnit credits of one rupee or dollar. */
export function creditsFor(minor: bigint, creditsPerUnit: string): string {
  return toCredits((minor * microsOf(creditsPerUnit)) / MINOR_PER_UNIT);
}

/** How much of the currency these credits are worth at most, in paise or cents, rounded down. */
export function minorFor(micros: bigint, creditsPerUnit: string): bigint {
  const microsPerUnit = microsOf(creditsPerUnit);
  return microsPerUnit > 0n ? (micros * MINOR_PER_UNIT) / microsPerUnit : 0n;
}
