import type Razorpay from 'razorpay';

import { codeWord, providerError } from '../providerErrors.js';

const TIMEOUT_MS = 10_000;

export interface RazorpayClientOptions {
  readonly keyId: string;
  readonly keySecret: string;
  /** Defaults to Razorpay's own. */
  readonly baseUrl?: string;
  readonly timeoutMs?: number;
}

/** Where the SDK keeps its axios. This is the only way to set a timeout; without one, the SDK would wait forever. */
interface Inside {
  readonly api: {
    readonly rq: {
      readonly defaults: {
        baseURL: string;
        timeout: number;
        maxRedirects: number;
        readonly headers: { readonly post: Record<string, string> };
      };
    };
  };
}

/**
 * Razorpay's SDK, with a timeout. One client per refund, because the SDK drops headers that are given with a call.
 * Loaded on the first call, since most processes never need it.
 */
export async function razorpayClient(options: RazorpayClientOptions, refundKey?: string): Promise<Razorpay> {
  const { default: Sdk } = await import('razorpay');
  const client = new Sdk({ key_id: options.keyId, key_secret: options.keySecret });
  const { defaults } = (client as unknown as Inside).api.rq;
  defaults.timeout = options.timeoutMs ?? TIMEOUT_MS;
  // Keys must not follow redirects.
  defaults.maxRedirects = 0;
  if (options.baseUrl !== undefined) defaults.baseURL = options.baseUrl;
  if (refundKey !== undefined) defaults.headers.post['X-Refund-Idempotency'] = refundKey;
  return client;
}

/**
 * Calls the SDK and translates its errors. Without a response, the SDK itself throws a TypeError.
 *
 * @throws PROVIDER_UNAVAILABLE, INVALID_STATE
 */
export async function callRazorpay<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    const { statusCode, error } = (thrown ?? {}) as { statusCode?: unknown; error?: { code?: unknown } };
    const status = typeof statusCode === 'number' ? statusCode : null;
    throw providerError({ provider: 'Razorpay', status, code: codeWord(error?.code) });
  }
}
