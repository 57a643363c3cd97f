import type { QuotaState } from '../../domain/playback/quota.js';
import type { Headers } from './envelope.js';

/** For an account's own list and videos: only the account may cache them, and must revalidate each time. */
export const PRIVATE: Headers = { 'Cache-Control': 'private, no-cache' };

/** For tokens and every refusal: nobody may store them. */
export const NO_STORE: Headers = { 'Cache-Control': 'no-store' };

/** For the manifest: players on any site may read it, and its URL contains a secret. */
export const MANIFEST: Headers = {
  ...NO_STORE,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
};

/** Answers a browser's preflight before it fetches a manifest with custom headers. */
export const MANIFEST_PREFLIGHT: Headers = {
  ...MANIFEST,
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
};

/** The three headers that every response of the token endpoint has. */
export function rateLimit(quota: QuotaState): Headers {
  return {
    'X-RateLimit-Limit': quota.limit,
    'X-RateLimit-Remaining': quota.remaining,
    'X-RateLimit-Reset': quota.resetEpochSeconds,
  };
}
