import type { QuotaState } from '../../domain/playback/quota.js';
import type { Headers } from './envelope.js';

/** What an account's own list and videos are: for its eyes, and never out of date. */
export const PRIVATE: Headers = { 'Cache-Control': 'private, no-cache' };

/** Tokens, and every refusal: nothing of these is ever to be kept. */
export const NO_STORE: Headers = { 'Cache-Control': 'no-store' };

/** The manifest: for players on any site, with a secret in its address. */
export const MANIFEST: Headers = {
  ...NO_STORE,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
};

/** What a browser asks before it fetches a manifest with headers of its own. */
export const MANIFEST_PREFLIGHT: Headers = {
  ...MANIFEST,
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
};

/** The three headers of every response of the token endpoint. */
export function rateLimit(quota: QuotaState): Headers {
  return {
    'X-RateLimit-Limit': quota.limit,
    'X-RateLimit-Remaining': quota.remaining,
    'X-RateLimit-Reset': quota.resetEpochSeconds,
  };
}
