import { AppError, type ErrorCode } from '../../errors.js';

/** A key's playback-token quota at one moment, as the `X-RateLimit-*` headers show it. */
export interface QuotaState {
  /** Tokens per UTC day. */
  readonly limit: number;
  /** Tokens left after this request. */
  readonly remaining: number;
  /** Epoch second of 23:59:59 UTC of the counted day. */
  readonly resetEpochSeconds: number;
}

export const SECONDS_PER_DAY = 86_400;

/** The value of `X-RateLimit-Reset` for the UTC day that begins at `dayEpochSeconds`. */
export function resetOfDay(dayEpochSeconds: number): number {
  return dayEpochSeconds + SECONDS_PER_DAY - 1;
}

/** The quota headers for an unrecognized key: nothing left until the end of the current day. */
export function noQuota(nowEpochSeconds: number): QuotaState {
  const day = Math.floor(nowEpochSeconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  return { limit: 0, remaining: 0, resetEpochSeconds: resetOfDay(day) };
}

/** A refusal of the token endpoint. Carries the key's quota, because every response of the endpoint shows it. */
export class MintRefusal extends AppError {
  constructor(
    code: ErrorCode,
    message: string,
    /** `null` if no key was recognized. */
    readonly quota: QuotaState | null,
    /** Whole seconds until a retry can succeed; `null` if waiting does not help. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(code, message);
    this.name = 'MintRefusal';
  }
}
