import { type QuotaState, resetOfDay, SECONDS_PER_DAY } from './quota.js';

/** Far more keys than one process serves between two faults of its database. */
const MAX_KEYS = 10_000;

/**
 * What this process was last told of each key's quota, for answers that cannot ask: the database is away, or a
 * statement broke. Never decides anything.
 */
export class KnownQuotas {
  private readonly quotas = new Map<string, QuotaState>();

  constructor(private readonly maxKeys = MAX_KEYS) {}

  /** @param quota `null` where the key is unknown or revoked: it is forgotten */
  learn(keyHash: Buffer, quota: QuotaState | null): void {
    const name = nameOf(keyHash);
    this.quotas.delete(name);
    if (quota === null) return;
    this.quotas.set(name, quota);
    if (this.quotas.size <= this.maxKeys) return;
    const [oldest] = this.quotas.keys();
    if (oldest !== undefined) this.quotas.delete(oldest);
  }

  /** `null` for a key that was never told of. After the end of its day, nothing of the next one is used. */
  of(keyHash: Buffer, nowEpochSeconds: number): QuotaState | null {
    const known = this.quotas.get(nameOf(keyHash));
    if (known === undefined || nowEpochSeconds <= known.resetEpochSeconds) return known ?? null;
    const today = nowEpochSeconds - (nowEpochSeconds % SECONDS_PER_DAY);
    return { limit: known.limit, remaining: known.limit, resetEpochSeconds: resetOfDay(today) };
  }
}

function nameOf(keyHash: Buffer): string {
  return keyHash.toString('latin1');
}
