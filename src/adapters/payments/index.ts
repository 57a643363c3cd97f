import type { Database } from '../../db/sql.js';
import type { Logger } from '../../logger.js';
import type { ExchangeRates } from '../../ports/exchangeRates.js';
import type { PaymentProvider, ProviderName } from '../../ports/paymentProvider.js';
import type { PaymentSandbox } from '../../ports/paymentSandbox.js';
import { AddressRates } from './rates/addressRates.js';
import { NoRates, SandboxRates, SettingRates } from './rates/fixedRates.js';
import { parseRate } from './rates/rate.js';
import { RazorpayProvider } from './razorpay/razorpayProvider.js';
import { SandboxPages } from './sandbox/sandboxPages.js';
import { SandboxProvider } from './sandbox/sandboxProvider.js';
import { SandboxSender } from './sandbox/sandboxSender.js';
import { StripeProvider } from './stripe/stripeProvider.js';

export interface PaymentOptions {
  readonly db: Database;
  readonly logger: Logger;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly razorpay: {
    readonly keyId: string;
    readonly keySecret: string;
    readonly webhookSecrets: readonly string[];
  } | null;
  readonly stripe: { readonly secretKey: string; readonly webhookSecrets: readonly string[] } | null;
  /** Signs the sandbox's webhooks; `null` without a sandbox, so that a provider without keys is not offered. */
  readonly sandboxSecret: string | null;
  /** INR per USD: a decimal with its date, or the address that returns it. */
  readonly rate: { readonly rate: string; readonly asOf: string } | { readonly url: string } | null;
}

export interface Payments {
  readonly providers: ReadonlyMap<ProviderName, PaymentProvider>;
  readonly rates: ExchangeRates;
  /** `null` if no provider is the sandbox. */
  readonly sandbox: { readonly pages: PaymentSandbox; readonly sender: SandboxSender } | null;
}

/** Creates the payment providers: real ones if there are keys, otherwise the sandbox if it is allowed. */
export function createPaymentProviders(options: PaymentOptions): Payments {
  const { razorpay, stripe, publicUrl, sandboxSecret: secret } = options;
  const sandbox = secret === null || (razorpay && stripe) ? null : createSandbox(options, secret);
  const providers = new Map<ProviderName, PaymentProvider>();

  if (razorpay) {
    const returnEndpoint = `${publicUrl}/webhooks/return`;
    providers.set('razorpay', new RazorpayProvider({ ...razorpay, returnEndpoint }));
  } else if (sandbox) providers.set('razorpay', sandbox.provider('razorpay'));
  if (stripe) providers.set('stripe', new StripeProvider(stripe));
  else if (sandbox) providers.set('stripe', sandbox.provider('stripe'));

  return { providers, rates: createRates(options), sandbox };
}

function createSandbox({ db, logger, publicUrl }: PaymentOptions, secret: string) {
  const sender = new SandboxSender({ db, logger, secret, publicUrl });
  const wake = () => sender.wake();
  return {
    sender,
    pages: new SandboxPages({ db, wake }),
    provider: (name: ProviderName) => new SandboxProvider(name, { db, publicUrl, secret, wake }),
  };
}

function createRates({ db, logger, rate, stripe, sandboxSecret }: PaymentOptions): ExchangeRates {
  if (rate === null) return stripe === null && sandboxSecret !== null ? new SandboxRates(db.sql) : new NoRates();
  if ('url' in rate) return new AddressRates({ url: rate.url, logger });
  return new SettingRates(parseRate(rate.rate, rate.asOf));
}
