import { type Database, execute } from '../../../db/sql.js';
import { waitAtMost } from '../../shared/waitAtMost.js';
import { RECORD_FIRST_TOKENS } from '../../shared/videoChanges/videoChange.sql.js';
import type { Granted } from '../grantedTokens.js';
import { SECONDS_PER_DAY } from '../quota.js';

export interface FirstTokensOptions {
  readonly db: Database;
  /** Called if a batch could not be written. The next token of the same day is tried again. */
  readonly onError?: (error: unknown) => void;
  readonly flushEveryMs?: number;
  readonly stopWithinMs?: number;
  /** How many tokens are remembered at most, and how many may wait. Forgotten ones are written again, which changes nothing. */
  readonly maxKnown?: number;
}

type Minted = Pick<Granted, 'accountId' | 'keyId' | 'nowEpochSeconds'> & { readonly videoId: string };

const FLUSH_EVERY_MS = 2_000;
const MAX_KNOWN = 50_000;
/** Less than the ten seconds that a stop may take. */
const STOP_WITHIN_MS = 4_000;

/**
 * Records the first token that each key creates for a video on a UTC day. Requests only leave it here, because creating
 * tokens is the busiest path; every two seconds a batch is written. Other processes may write the same: the first counts.
 */
export class FirstTokens {
  private readonly known = new Set<string>();
  private waiting = new Map<string, Minted>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(private readonly options: FirstTokensOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.flush(), this.options.flushEveryMs ?? FLUSH_EVERY_MS).unref();
  }

  /** Writes what waits. What the database does not take within a few seconds is recorded by the next token of its day. */
  stop(): Promise<void> {
    clearInterval(this.timer);
    return waitAtMost(this.options.stopWithinMs ?? STOP_WITHIN_MS, this.flush());
  }

  /** Does no work but remember: this is the hot path. */
  minted({ accountId, keyId, nowEpochSeconds }: Granted, videoId: string): void {
    const name = `${keyId} ${videoId} ${Math.floor(nowEpochSeconds / SECONDS_PER_DAY)}`;
    if (this.known.has(name)) return;
    const maxKnown = this.options.maxKnown ?? MAX_KNOWN;
    // A database that is away must not let them grow without bound. The next token is tried again.
    if (this.waiting.size >= maxKnown) return;
    if (this.known.size >= maxKnown) this.known.clear();
    this.known.add(name);
    if (!this.waiting.has(name)) this.waiting.set(name, { accountId, keyId, videoId, nowEpochSeconds });
  }

  /** One batch after the other. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  private async write(): Promise<void> {
    if (this.waiting.size === 0) return;
    const batch = this.waiting;
    this.waiting = new Map();
    const minted = [...batch.values()];
    try {
      await execute(this.options.db.sql, RECORD_FIRST_TOKENS, {
        accountIds: minted.map(({ accountId }) => accountId),
        videoIds: minted.map(({ videoId }) => videoId),
        keyIds: minted.map(({ keyId }) => keyId),
        times: minted.map(({ nowEpochSeconds }) => nowEpochSeconds),
      });
    } catch (error) {
      for (const name of batch.keys()) this.known.delete(name);
      this.options.onError?.(error);
    }
  }
}
