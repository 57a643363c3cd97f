import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import { createPaymentProviders } from '../../../src/adapters/payments/index.js';
import { isTrial, loadConfig } from '../../../src/config/config.js';
import type { Database } from '../../../src/db/sql.js';
import { paymentOptionsOf } from '../../../src/config/paymentSettings.js';

const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://video.example',
  TRUST_PROXY: '1',
  DATABASE_URL: 'postgres://dhara@db/dhara',
  MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  SMTP_URL: 'smtp://mail.example',
};
const RAZORPAY = {
  RAZORPAY_KEY_ID: 'rzp_live_1',
  RAZORPAY_KEY_SECRET: 's',
  RAZORPAY_WEBHOOK_SECRET: 'new-secret,old-secret',
};
const STRIPE = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_one' };
const RATE = { USD_INR_RATE: '85.1234', USD_INR_RATE_DATE: '2026-01-31' };

/** Nothing here uses the database. */
const NO_DATABASE = {} as Database;

function paymentsOf(settings: Record<string, string>) {
  const config = loadConfig(settings);
  const { hasSandbox, ...options } = paymentOptionsOf(config, isTrial(config));
  return createPaymentProviders({
    ...options,
    db: NO_DATABASE,
    logger: pino({ level: 'silent' }),
    publicUrl: 'https://video.example',
    sandboxSecret: hasSandbox ? 'sandbox' : null,
  });
}

const offered = (settings: Record<string, string>) =>
  [...paymentsOf(settings).providers.values()].map(({ name, sandbox }) => `${name}${sandbox ? ' (sandbox)' : ''}`);

describe('the payment provider', () => {
  it('is the sandbox if there are no keys', () => {
    expect(offered({})).toEqual(['razorpay (sandbox)', 'stripe (sandbox)']);
    expect(offered({ PAYMENT_SANDBOX: 'false' })).toEqual([]);
  });

  it('is none with a database of one’s own, unless the sandbox is switched on', () => {
    const own = { DATABASE_URL: 'postgres://dhara@db/dhara' };
    const open = { ...own, PUBLIC_URL: 'https://video.example', NODE_ENV: 'development' };
    for (const settings of [own, open]) {
      expect(offered(settings)).toEqual([]);
      expect(paymentsOf(settings).sandbox).toBeNull();
      const asked = { ...settings, PAYMENT_SANDBOX: 'true' };
      expect(offered(asked)).toEqual(['razorpay (sandbox)', 'stripe (sandbox)']);
    }
  });

  it('is the real one if there are keys, without the sandbox', () => {
    expect(offered(RAZORPAY)).toEqual(['razorpay']);
    expect(offered({ ...STRIPE, ...RATE })).toEqual(['stripe']);
    expect(offered({ ...RAZORPAY, ...STRIPE, ...RATE })).toEqual(['razorpay', 'stripe']);
  });

  it('is the sandbox beside test keys if it is switched on, and never beside live keys', () => {
    const test = { ...RAZORPAY, RAZORPAY_KEY_ID: 'rzp_test_1', PAYMENT_SANDBOX: 'true' };
    expect(offered(test)).toEqual(['razorpay', 'stripe (sandbox)']);
    expect(() => loadConfig({ ...RAZORPAY, PAYMENT_SANDBOX: 'true' })).toThrow(/^PAYMENT_SANDBOX/);
    expect(() => loadConfig({ ...STRIPE, ...RATE, PAYMENT_SANDBOX: 'true' })).toThrow(/^PAYMENT_SANDBOX/);
  });

  it('is never the sandbox in production', () => {
    expect(offered(PRODUCTION)).toEqual([]);
    expect(paymentsOf(PRODUCTION).sandbox).toBeNull();
    expect(offered({ ...PRODUCTION, ...RAZORPAY })).toEqual(['razorpay']);
    expect(() => loadConfig({ ...PRODUCTION, PAYMENT_SANDBOX: 'true' })).toThrow(/^PAYMENT_SANDBOX/);
    const testKey = { RAZORPAY_KEY_ID: 'rzp_test_1' };
    expect(() => loadConfig({ ...PRODUCTION, ...RAZORPAY, ...testKey })).toThrow(/test key/);
  });

  it('has no exchange rate in production if none is set', async () => {
    await expect(paymentsOf(PRODUCTION).rates.usdToInr()).rejects.toMatchObject({ code: 'RATE_UNAVAILABLE' });
    const rate = { microsPerCent: 851_234n, asOf: new Date('2026-01-31T00:00:00Z') };
    expect(await paymentsOf({ ...PRODUCTION, ...RATE }).rates.usdToInr()).toEqual(rate);
  });
});

it.each([
  ['a key without its secret', { RAZORPAY_KEY_ID: 'rzp_live_1' }, /^RAZORPAY_KEY_ID and RAZORPAY_KEY_SECRET/],
  ['Razorpay without a webhook secret', { ...RAZORPAY, RAZORPAY_WEBHOOK_SECRET: '' }, /^RAZORPAY_WEBHOOK_SECRET/],
  ['Stripe without a webhook secret', { ...STRIPE, ...RATE, STRIPE_WEBHOOK_SECRET: '' }, /^STRIPE_WEBHOOK_SECRET/],
  [
    'three webhook secrets',
    { ...RAZORPAY, RAZORPAY_WEBHOOK_SECRET: 'secret-1,secret-2,secret-3' },
    /one secret, or two/,
  ],
  ['an empty second secret', { ...RAZORPAY, RAZORPAY_WEBHOOK_SECRET: 'secret-1,' }, /one secret, or two/],
  ['Stripe without a rate', STRIPE, /^USD_INR_RATE/],
  ['a rate without its date', { USD_INR_RATE: '85' }, /^USD_INR_RATE_DATE/],
  ['a rate of nothing', { ...RATE, USD_INR_RATE: '0.0' }, /USD_INR_RATE: must lie/],
  ['a rate in words', { ...RATE, USD_INR_RATE: 'many' }, /USD_INR_RATE: must be/],
  ['a date in the future', { ...RATE, USD_INR_RATE_DATE: '2999-01-01' }, /USD_INR_RATE_DATE: must not/],
  ['two rates', { ...RATE, USD_INR_RATE_URL: 'https://rates.example' }, /not both/],
] as const)('the settings are refused at boot for %s', (_, settings, message) => {
  expect(() => loadConfig({ ...PRODUCTION, ...settings })).toThrow(message);
});

it('the error for a wrong setting contains no secret', () => {
  const secret = 'short';
  expect(() => loadConfig({ ...RAZORPAY, RAZORPAY_WEBHOOK_SECRET: secret })).toThrow(/^(?!.*short).*$/s);
});
