import type { AppError } from '../../errors.js';
import type { ExplainRow, MintRow } from './mint.sql.js';
import { MintRefusal, type QuotaState, resetOfDay, SECONDS_PER_DAY } from './quota.js';

/** One token was counted for this request. */
export interface Granted {
  readonly accountId: string;
  readonly keyId: string;
  readonly quota: QuotaState;
  /** The database's time of the mint, in epoch seconds. */
  readonly nowEpochSeconds: number;
}

/**
 * Hands the result of one statement to the requests that shared it, in order of arrival. Each gets the response that
 * its own statement would have given.
 */
export class GrantedTokens {
  private left: number;
  private readonly minted: boolean;
  private readonly nowEpochSeconds: number;

  /** @param states the state of each requested video, by id; see `mint.sql.ts` */
  constructor(
    private readonly row: MintRow | ExplainRow,
    private readonly states: ReadonlyMap<string, string>,
  ) {
    this.minted = 'granted' in row;
    this.left = Math.max(0, row.daily_limit - row.used + ('granted' in row ? row.granted : 0));
    this.nowEpochSeconds = Math.floor(row.now_epoch);
  }

  /**
   * Returns the next request's response. `retry` means that somebody changed the key or the video between the two
   * statements, so the mint might now succeed.
   *
   * @param videoId UUID, or `null` for an identifier that names no video
   */
  next(videoId: string | null): Granted | AppError | 'retry' {
    const { account_id: accountId, key_id: keyId } = this.row;
    const refusal = this.refusal() ?? this.quotaRefusal();
    if (refusal) return refusal;
    if (accountId === null || keyId === null) throw new Error('A key without an account was not refused.');

    const state = videoId === null ? '-' : (this.states.get(videoId) ?? '-');
    if (state === '-') return new MintRefusal('VIDEO_NOT_FOUND', 'Video not found.', this.quota());
    if (state !== '+') {
      return new MintRefusal('VIDEO_NOT_READY', `Video not playable yet (status: ${state}).`, this.quota());
    }
    if (!this.minted) return 'retry';
    this.left -= 1;
    return { accountId, keyId, quota: this.quota(), nowEpochSeconds: this.nowEpochSeconds };
  }

  /** Why this key may not mint at all; `null` if it may. */
  refusal(): MintRefusal | null {
    return this.keyRefusal() ?? this.accountRefusal();
  }

  keyRefusal(): MintRefusal | null {
    const { row } = this;
    return row.account_id === null || ('revoked' in row && row.revoked)
      ? new MintRefusal('INVALID_API_KEY', 'The API key is invalid or has been revoked.', null)
      : null;
  }

  accountRefusal(): MintRefusal | null {
    return 'suspended' in this.row && this.row.suspended
      ? new MintRefusal('ACCOUNT_SUSPENDED', 'This account is suspended.', this.quota())
      : null;
  }

  quotaRefusal(): MintRefusal | null {
    return this.left === 0 ? this.exceeded() : null;
  }

  /** Tokens counted today, those of this statement included. */
  get used(): number {
    return this.row.used;
  }

  /** The quota after the responses given so far. */
  quota(): QuotaState {
    return { limit: this.row.daily_limit, remaining: this.left, resetEpochSeconds: resetOfDay(this.row.day_epoch) };
  }

  private exceeded(): MintRefusal {
    const message = `Daily limit of ${this.row.daily_limit} playback tokens exceeded`;
    const midnight = this.row.day_epoch + SECONDS_PER_DAY;
    const seconds = Math.max(1, Math.ceil(midnight - this.row.now_epoch));
    return new MintRefusal('RATE_LIMIT_EXCEEDED', message, this.quota(), seconds);
  }
}
