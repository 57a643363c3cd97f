import { DharaApiError, DharaConnectionError, DharaTimeoutError } from './errors.js';
import { type RateLimit, readRateLimit } from './rateLimit.js';

export interface TransportOptions {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: typeof fetch;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** Below `baseUrl`, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** A body with `success: true`, and what the headers say. */
export interface ApiResponse<Body> {
  readonly body: Body;
  readonly requestId: string | null;
  readonly rateLimit: RateLimit | null;
}

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly message?: string };
}

const FIRST_DELAY_MS = 250;
/** If a service asks for a longer pause than this, there is no retry: the caller decides. */
const MAX_DELAY_MS = 8_000;
/** Nothing was done, so even a POST may be sent again. */
const NOT_DONE = 503;
/** Nothing was done either, but a retry only makes sense when the service says. */
const LIMITED = 429;

/**
 * Sends a request, with retries where that is safe: after 503, and after 429 if the limit ends within seconds. After a
 * lost connection, a timeout or another server error, only a GET is retried, because a POST may have been served.
 */
export async function send<Body>(request: ApiRequest, options: TransportOptions): Promise<ApiResponse<Body>> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await sendOnce<Body>(request, options);
    } catch (error) {
      const delayMs = attempt < options.maxRetries ? retryDelayMs(error, request, attempt) : null;
      if (delayMs === null) throw error;
      await pause(delayMs, request.signal);
    }
  }
}

async function sendOnce<Body>(request: ApiRequest, options: TransportOptions): Promise<ApiResponse<Body>> {
  const { method, path, headers, signal } = request;
  const timeout = AbortSignal.timeout(options.timeoutMs);
  let res: Response;
  let text: string;
  try {
    // Called without `this`: browsers refuse a fetch that is a method of something else.
    const { fetch } = options;
    res = await fetch(options.baseUrl + path, {
      method,
      headers,
      // A redirect would send the API key to any host, and the service never redirects.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await res.text();
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) throw new DharaTimeoutError(`No response within ${options.timeoutMs} ms`, { cause: error });
    throw new DharaConnectionError(`Could not reach ${options.baseUrl}`, { cause: error });
  }
  const body = parse(text);
  const requestId = res.headers.get('x-request-id');
  const rateLimit = readRateLimit(res.headers);
  if (res.ok && body?.success === true) return { body: body as Body, requestId, rateLimit };
  const { code, message } = (body as ErrorBody | null)?.error ?? {};
  throw new DharaApiError(
    message ?? `Unexpected response with status ${res.status}`,
    code ?? 'UNEXPECTED_RESPONSE',
    res.status,
    requestId,
    secondsOf(res.headers.get('retry-after')),
    rateLimit,
  );
}

/** `null` if a Dhara service would not send it, such as a proxy's page. */
function parse(text: string): { readonly success?: unknown } | null {
  try {
    return JSON.parse(text) as { success?: unknown } | null;
  } catch {
    return null;
  }
}

/** Seconds or a date (RFC 9110, section 10.2.3); `null` for anything else. `Date.parse` takes `-5` and `1.5` for dates. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const atMs = /^[A-Z]\w+,? /.test(retryAfter) ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, (atMs - Date.now()) / 1_000);
}

/** `null` if the request must not, or need not, be sent again. */
function retryDelayMs(error: unknown, { method }: ApiRequest, attempt: number): number | null {
  const refusal = error instanceof DharaApiError ? error : null;
  const asked = refusal?.retryAfterSeconds ?? null;
  const isSafe = refusal
    ? refusal.status === NOT_DONE ||
      (refusal.status === LIMITED && asked !== null) ||
      (refusal.status >= 500 && method === 'GET')
    : error instanceof DharaConnectionError && method === 'GET';
  if (!isSafe) return null;
  if (asked !== null) return asked * 1_000 <= MAX_DELAY_MS ? asked * 1_000 : null;
  // Half fixed, half random, so that many clients do not come back at once.
  const backoffMs = Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS);
  return backoffMs / 2 + (Math.random() * backoffMs) / 2;
}

/** @throws the reason of `signal` as soon as it aborts */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
