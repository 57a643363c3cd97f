import { AppError, type ErrorCode } from '../../errors.js';

/** A key's playback-token quota as of one moment: what the `X-RateLimit-*` headers say. */
export interface QuotaState {
  /** Tokens per UTC day. */
  readonly limit: number;
  /** Tokens left after this request. */
  readonly remaining: number;
  /** Epoch second of 23:59:59 UTC of the day that is counted. */
  readonly resetEpochSeconds: number;
}

export const SECONDS_PER_DAY = 86_400;

/** The epoch second that `X-RateLimit-Reset` names for the UTC day that begins at `dayEpochSeconds`. */
export function resetOfDay(dayEpochSeconds: number): number {
  return dayEpochSeconds + SECONDS_PER_DAY - 1;
}

/** What the headers say where no key was recognised: nothing is left, until the end of the current day. */
export function noQuota(nowEpochSeconds: number): QuotaState {
  const day = Math.floor(nowEpochSeconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  return { limit: 0, remaining: 0, resetEpochSeconds: resetOfDay(day) };
}

/** A refusal of the token endpoint. It knows the key's quota, which every response of the endpoint shows. */
export class MintRefusal extends AppError {
  constructor(
    code: ErrorCode,
    message: string,
    /** `null` where no key was recognised. */
    readonly quota: QuotaState | null,
    /** Whole seconds until a retry succeeds, where waiting helps. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(code, message);
    this.name = 'MintRefusal';
  }
}
