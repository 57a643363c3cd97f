import type { Currency, ProviderName } from '../../ports/paymentProvider.js';
import { html, type Html } from './html.js';

/** `₹499.00`, `$10.00`: exact, from a bigint. */
export function money(amountMinor: bigint, currency: Currency): string {
  const format = new Intl.NumberFormat(currency === 'INR' ? 'en-IN' : 'en-US', { style: 'currency', currency });
  return format.format(decimal(amountMinor) as Intl.StringNumericLiteral);
}

/** `499.00` */
export function decimal(amountMinor: bigint): string {
  return `${amountMinor / 100n}.${String(amountMinor % 100n).padStart(2, '0')}`;
}

/** An amount that a person typed, in minor units; `null` if it is invalid. */
export function minorOf(text: string): bigint | null {
  const digits = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text.trim());
  return digits === null ? null : BigInt(`${digits[1]}${(digits[2] ?? '').padEnd(2, '0')}`);
}

export function providerName(provider: ProviderName): string {
  return provider === 'razorpay' ? 'Razorpay' : 'Stripe';
}

export function timeTag(at: Date): Html {
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
