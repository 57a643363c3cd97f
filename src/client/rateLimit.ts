/** The state of the key's daily quota of playback tokens after a request. */
export interface RateLimit {
  /** Tokens per UTC day. */
  readonly limit: number;
  /** Tokens left today. */
  readonly remaining: number;
  /** The last second of the UTC day that the quota counts: 23:59:59. */
  readonly resetAt: Date;
}

/** `null` if the response has no rate-limit headers: only the token endpoint sends them. */
export function readRateLimit(headers: Headers): RateLimit | null {
  const limit = headers.get('x-ratelimit-limit');
  const remaining = headers.get('x-ratelimit-remaining');
  const reset = headers.get('x-ratelimit-reset');
  if (limit === null || remaining === null || reset === null) return null;
  return { limit: Number(limit), remaining: Number(remaining), resetAt: new Date(Number(reset) * 1_000) };
}
