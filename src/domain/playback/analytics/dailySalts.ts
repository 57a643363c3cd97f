import { createHmac, randomBytes } from 'node:crypto';

import { execute, type Sql } from '../../../db/sql.js';
import { ADD_SALT, FIND_SALT } from './analytics.sql.js';

const SALT_BYTES = 32;
const VISITOR_BYTES = 16;
/** Today, yesterday, and a day whose clock was moved. */
const KEPT_DAYS = 3;

/** By day. */
export type VisitorHashes = ReadonlyMap<string, (visitor: string) => Buffer>;

/**
 * Hashes visitors so that one day's can be told apart and none can be recognized: each day has a random salt, which is
 * deleted after two days. The key comes from the master key, so a copy of the database alone reveals nothing either.
 */
export class DailySalts {
  private readonly keys = new Map<string, Buffer>();

  /** @param key `deriveKey(masterKey, 'playback-visitor')` */
  constructor(private readonly key: Uint8Array) {}

  /** @param days `YYYY-MM-DD`. @returns what hashes each day's visitors, the same in every process */
  async hashesOf(sql: Sql, days: Iterable<string>): Promise<VisitorHashes> {
    const hashes = new Map<string, (visitor: string) => Buffer>();
    for (const day of days) {
      const key = await this.keyOf(sql, day);
      hashes.set(day, (visitor) => createHmac('sha256', key).update(visitor).digest().subarray(0, VISITOR_BYTES));
    }
    return hashes;
  }

  private async keyOf(sql: Sql, day: string): Promise<Buffer> {
    const known = this.keys.get(day);
    if (known) return known;
    const key = createHmac('sha256', this.key)
      .update(await saltOf(sql, day))
      .digest();
    this.keys.set(day, key);
    const [oldest] = [...this.keys.keys()].sort();
    if (this.keys.size > KEPT_DAYS && oldest !== undefined) this.keys.delete(oldest);
    return key;
  }
}

async function saltOf(sql: Sql, day: string): Promise<Buffer> {
  const [known] = await execute(sql, FIND_SALT, { day });
  if (known) return known.salt;
  await execute(sql, ADD_SALT, { day, salt: randomBytes(SALT_BYTES) });
  const [kept] = await execute(sql, FIND_SALT, { day });
  if (!kept) throw new Error(`the salt of ${day} was not kept`);
  return kept.salt;
}
