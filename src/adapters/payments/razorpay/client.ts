import type Razorpay from 'razorpay';

import { codeWord, providerError } from '../providerErrors.js';

const TIMEOUT_MS = 10_000;

export interface RazorpayClientOptions {
  readonly keyId: string;
  readonly keySecret: string;
  /** Razorpay's own where left out. */
  readonly baseUrl?: string;
  readonly timeoutMs?: number;
}

/** What the SDK keeps its axios in, which is the only way to a timeout: it would wait for ever. */
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
 * Razorpay's SDK, with a timeout. One client per refund: the SDK drops any header that is given with a call. It loads
 * with the first call, as most starts do without.
 */
export async function razorpayClient(options: RazorpayClientOptions, refundKey?: string): Promise<Razorpay> {
  const { default: Sdk } = await import('razorpay');
  const client = new Sdk({ key_id: options.keyId, key_secret: options.keySecret });
  const { defaults } = (client as unknown as Inside).api.rq;
  defaults.timeout = options.timeoutMs ?? TIMEOUT_MS;
  // Keys go nowhere else.
  defaults.maxRedirects = 0;
  if (options.baseUrl !== undefined) defaults.baseURL = options.baseUrl;
  if (refundKey !== undefined) defaults.headers.post['X-Refund-Idempotency'] = refundKey;
  return client;
}

/**
 * Calls, and says in our words what went wrong. Where there was no answer the SDK throws a TypeError of its own making.
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
