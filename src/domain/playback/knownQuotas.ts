import { SizedLru } from '../shared/sizedLru.js';
import { type QuotaState, resetOfDay, SECONDS_PER_DAY } from './quota.js';

/** Far more keys than one process serves between two database outages. */
const MAX_KEYS = 10_000;

/**
 * The last quota that this process saw for each key. It serves responses that cannot ask the database, because it is
 * unavailable or a statement failed. It never decides anything.
 */
export class KnownQuotas {
  private readonly quotas: SizedLru<QuotaState>;

  constructor(maxKeys = MAX_KEYS) {
    this.quotas = new SizedLru(maxKeys);
  }

  /** @param quota `null` if the key is unknown or revoked; the key is then forgotten */
  learn(keyHash: Buffer, quota: QuotaState | null): void {
    const name = nameOf(keyHash);
    if (quota === null) this.quotas.delete(name);
    else this.quotas.set(name, quota, 1);
  }

  /** Returns `null` for an unknown key. Once the key's day has ended, assumes that nothing of the new day is used. */
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
