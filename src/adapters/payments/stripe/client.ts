import Stripe from 'stripe';

import { codeWord, providerError } from '../providerErrors.js';

const TIMEOUT_MS = 10_000;
const MAX_RETRIES = 2;

export interface StripeClientOptions {
  readonly secretKey: string;
  /** Defaults to Stripe's own. */
  readonly baseUrl?: string;
  readonly timeoutMs?: number;
}

/** Stripe's SDK, with limits. Its retries carry the same idempotency key. */
export function stripeClient(options: StripeClientOptions): Stripe {
  return new Stripe(options.secretKey, {
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
    ...(options.baseUrl === undefined ? {} : addressOf(options.baseUrl)),
  });
}

function addressOf(baseUrl: string): { host: string; port: number; protocol: 'http' | 'https' } {
  const url = new URL(baseUrl);
  const protocol = url.protocol === 'http:' ? 'http' : 'https';
  return { host: url.hostname, port: Number(url.port) || (protocol === 'http' ? 80 : 443), protocol };
}

/**
 * Calls the SDK and translates its errors.
 *
 * @throws PROVIDER_UNAVAILABLE, INVALID_STATE
 */
export async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (!(thrown instanceof Stripe.errors.StripeError))
      throw providerError({ provider: 'Stripe', status: null, code: null });
    const status = thrown.statusCode ?? null;
    throw providerError({ provider: 'Stripe', status, code: codeWord(thrown.code) ?? codeWord(thrown.type) });
  }
}
