import { z } from 'zod';

const HTTP = /^https?:$/;
const address = z.string().refine((text) => HTTP.test(URL.parse(text)?.protocol ?? ''), 'must be an http(s) address');
/** Whole numbers below 1000 with optional decimals, but not zero. */
const rate = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,20})?$/, 'must be a decimal number such as 85.1234')
  .refine((text) => Number(text) >= 0.0001 && Number(text) <= 1000, 'must lie between 0 and 1000');
const date = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be a date such as 2026-01-31')
  .refine((text) => Date.parse(text) <= Date.now() + 24 * 3600 * 1000, 'must not lie ahead');
/** One secret, or the new and the old one during a change. */
const secrets = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (list) => list.length <= 2 && list.every((secret) => secret.length >= 8),
    'must be one secret, or two with a comma between',
  );

/** The payment settings, as part of all settings. */
export const PAYMENT_SETTINGS = {
  RAZORPAY_KEY_ID: z.string().optional().describe('Razorpay’s key id: payments in rupees (default: the sandbox)'),
  RAZORPAY_KEY_SECRET: z.string().optional().describe('its secret'),
  RAZORPAY_WEBHOOK_SECRET: secrets
    .optional()
    .describe('secret of the webhook PUBLIC_URL/webhooks/razorpay; two with a comma between while it changes'),
  STRIPE_SECRET_KEY: z.string().optional().describe('Stripe’s secret key: payments in dollars (default: the sandbox)'),
  STRIPE_WEBHOOK_SECRET: secrets
    .optional()
    .describe('secret of the webhook PUBLIC_URL/webhooks/stripe; two with a comma between while it changes'),
  WEBHOOK_BODY_DAYS: z.coerce
    .number()
    .int()
    .min(7)
    .max(3650)
    .default(90)
    .describe(
      'days after which bodies of payment webhooks are removed, with the personal data in them; at least 7, which the database enforces',
    ),
  PAYMENT_SANDBOX: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe(
      '`true` offers sandbox payments beside test keys or with a DATABASE_URL, too; refused in production and with live keys (default: with the embedded database, where there are no keys at all)',
    ),
  USD_INR_RATE: rate.optional().describe('rupees per dollar, up to four decimals, such as 85.1234'),
  USD_INR_RATE_DATE: date.optional().describe('when USD_INR_RATE held: a date or RFC 3339'),
  USD_INR_RATE_URL: address
    .optional()
    .describe('address that returns {"rate": 85.1234, "asOf": "2026-01-31T00:00:00Z"}, instead of USD_INR_RATE'),
  USD_INR_RATE_MAX_AGE_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(24 * 31)
    .default(72)
    .describe('an older rate stops payments in dollars'),
};

const schema = z.object(PAYMENT_SETTINGS);
export type PaymentSettings = z.infer<typeof schema>;

/** Says in one line which settings contradict each other. `null` if they are consistent. */
export function paymentSettingsFault(settings: PaymentSettings, production: boolean): string | null {
  if (production && settings.PAYMENT_SANDBOX) return 'PAYMENT_SANDBOX: production takes real payments only';
  if (production && hasTestKey(settings))
    return 'A test key among the payment keys: production takes real payments only';
  if (settings.PAYMENT_SANDBOX && hasLiveKey(settings)) {
    return 'PAYMENT_SANDBOX: with live keys, sandbox payments would add credits for no money';
  }
  if (Boolean(settings.RAZORPAY_KEY_ID) !== Boolean(settings.RAZORPAY_KEY_SECRET)) {
    return 'RAZORPAY_KEY_ID and RAZORPAY_KEY_SECRET belong together';
  }
  if (settings.RAZORPAY_KEY_ID && !settings.RAZORPAY_WEBHOOK_SECRET) {
    return 'RAZORPAY_WEBHOOK_SECRET: without it no payment would ever be credited';
  }
  if (settings.STRIPE_SECRET_KEY && !settings.STRIPE_WEBHOOK_SECRET) {
    return 'STRIPE_WEBHOOK_SECRET: without it no payment would ever be credited';
  }
  if (settings.USD_INR_RATE && !settings.USD_INR_RATE_DATE) {
    return 'USD_INR_RATE_DATE: set it with USD_INR_RATE, because an old rate stops payments in dollars';
  }
  if (settings.USD_INR_RATE && settings.USD_INR_RATE_URL) return 'USD_INR_RATE or USD_INR_RATE_URL, not both';
  if (settings.STRIPE_SECRET_KEY && !settings.USD_INR_RATE && !settings.USD_INR_RATE_URL) {
    return 'USD_INR_RATE or USD_INR_RATE_URL: payments in dollars need an exchange rate';
  }
  return null;
}

const LIVE_KEY = /^(rzp|sk|rk)_live_/;
const TEST_KEY = /^(rzp|sk|rk)_test_/;

function hasLiveKey({ RAZORPAY_KEY_ID: razorpay = '', STRIPE_SECRET_KEY: stripe = '' }: PaymentSettings): boolean {
  return LIVE_KEY.test(razorpay) || LIVE_KEY.test(stripe);
}

/** With these keys, the provider accepts its test cards, so anyone who knows one would get free credits. */
function hasTestKey({ RAZORPAY_KEY_ID: razorpay = '', STRIPE_SECRET_KEY: stripe = '' }: PaymentSettings): boolean {
  return TEST_KEY.test(razorpay) || TEST_KEY.test(stripe);
}

/**
 * Returns the settings for the payment adapters. Once there is a provider's key, sandbox payments are offered only if a
 * setting asks for them: a service that takes real money must not give credits away.
 *
 * @param isTrial whether this is a trial service: outside production, with the embedded database
 */
export function paymentOptionsOf(settings: PaymentSettings, isTrial: boolean) {
  const { RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecret, STRIPE_SECRET_KEY: secretKey } = settings;
  const { USD_INR_RATE: rate, USD_INR_RATE_DATE: asOf, USD_INR_RATE_URL: url } = settings;
  return {
    razorpay: keyId && keySecret ? { keyId, keySecret, webhookSecrets: settings.RAZORPAY_WEBHOOK_SECRET ?? [] } : null,
    stripe: secretKey ? { secretKey, webhookSecrets: settings.STRIPE_WEBHOOK_SECRET ?? [] } : null,
    rate: rate && asOf ? { rate, asOf } : url ? { url } : null,
    hasSandbox: settings.PAYMENT_SANDBOX ?? (isTrial && !keyId && !secretKey),
  };
}
