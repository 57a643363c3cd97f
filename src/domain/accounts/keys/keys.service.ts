import { type Database, execute, type Sql, type TypedStatement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { checkedLine } from '../../../readableText.js';
import { isUuid, newId } from '../../shared/ids.js';
import { generateKey, type KeyMode } from './keyFormat.js';
import {
  countKeys,
  findKey,
  insertKey,
  keyDays,
  listKeys,
  listRevokedKeys,
  lockAccount,
  removeRevokedKeys,
  renameKey,
  revokeKey,
  setKeyLimit,
  type KeyRow,
} from './apiKey.sql.js';

/** A key as its owner and support see it. */
export interface KeyRecord {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  /** First 12 characters of the key. */
  readonly prefix: string;
  readonly last4: string;
  /** Playback tokens per UTC day. */
  readonly dailyQuota: number;
  /** Playback tokens used since the last UTC midnight, those taken over from revoked keys included. */
  readonly usedToday: number;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** What a key minted on one UTC day. */
export interface KeyDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly used: number;
  /** As it was when the day's last token was minted. */
  readonly dailyQuota: number;
}

const MAX_LIVE_KEYS = 20;
/** Rotating every key of a program every few minutes takes fewer. */
const MAX_CREATED_PER_DAY = 100;
/** Older ones are forgotten when the next key is created. */
const REVOKED_KEYS_KEPT = 100;
/** Those shown beside the live keys. */
const REVOKED_KEYS_LISTED = 20;
/** Playback tokens per UTC day of a new key. */
const DEFAULT_DAILY_QUOTA = 1000;
const MAX_NAME_LENGTH = 100;
/** What the column holds; nobody plays more in a day. */
const MAX_DAILY_QUOTA = 2_000_000_000;

/** API keys of an account. What a key costs in a mint is decided in playback/, in the key's own row. */
export class KeyService {
  private readonly db: Database;
  private readonly mode: KeyMode;

  /** @param deps.mode `test` makes keys of the sandbox; default `live` */
  constructor(deps: { db: Database; mode?: KeyMode }) {
    this.db = deps.db;
    this.mode = deps.mode ?? 'live';
  }

  /**
   * Makes a key. `key` is shown to its owner now and can never be read again.
   *
   * Its quota of today is less what revoked keys of the account minted today, as far as no other new key has begun
   * with that: whoever rotates a key goes on with its count, and nobody gets a second quota by revoking.
   *
   * @throws INVALID_INPUT for a name that is empty or over 100 characters, ACCOUNT_SUSPENDED, and LIMIT_REACHED with
   * 20 keys that are not revoked, or 100 created today.
   */
  async create(accountId: string, input: { name: string }): Promise<{ key: string; record: KeyRecord }> {
    const name = cleanName(input.name);
    const key = generateKey(this.mode);
    const row = await this.db.transaction(async ({ sql }) => {
      // The lock first and the counts in a statement after it: creations, revocations and a suspension take turns.
      const [account] = await execute(sql, lockAccount, { accountId });
      if (!account) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
      if (account.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
      const [count] = await execute(sql, countKeys, { accountId });
      refuseTooMany(count!);
      await execute(sql, removeRevokedKeys, { accountId, kept: REVOKED_KEYS_KEPT });

      return theOne(
        await execute(sql, insertKey, {
          accountId,
          id: newId(),
          name,
          hash: key.hash,
          prefix: key.prefix,
          last4: key.last4,
          dailyQuota: DEFAULT_DAILY_QUOTA,
        }),
      );
    });
    return { key: key.text, record: recordOf(row) };
  }

  /** Newest first: the live keys, and the 20 revoked last. */
  async list(accountId: string): Promise<KeyRecord[]> {
    return (await execute(this.db.sql, listKeys, { accountId, revokedListed: REVOKED_KEYS_LISTED })).map(recordOf);
  }

  /** The key revoked last first. An account's 100 newest are kept, and those created today. */
  async listRevoked(accountId: string, page: { first: number; after: string | null }): Promise<KeyRecord[]> {
    if (page.after !== null && !isUuid(page.after)) {
      throw new AppError('INVALID_PARAMETER', 'after: invalid cursor.');
    }
    return (await execute(this.db.sql, listRevokedKeys, { accountId, first: page.first, after: page.after })).map(
      recordOf,
    );
  }

  /** Per key, its days with mints among the last `days`, oldest first and today's included. */
  async usage(accountId: string, keyIds: readonly string[], days: number): Promise<ReadonlyMap<string, KeyDay[]>> {
    const rows = await execute(this.db.sql, keyDays, { accountId, keyIds, days });
    const usage = new Map<string, KeyDay[]>(keyIds.map((id) => [id, []]));
    for (const { key_id: id, day, used, daily_limit: dailyQuota } of rows)
      usage.get(id)?.push({ day, used, dailyQuota });
    return usage;
  }

  /** @throws API_KEY_NOT_FOUND, INVALID_INPUT */
  async rename(accountId: string, keyId: string, name: string): Promise<KeyRecord> {
    return this.change(this.db.sql, renameKey, { accountId, keyId, name: cleanName(name) });
  }

  /**
   * Ends a key: the next request with it is refused, on every process. Revoking again changes nothing.
   *
   * @throws API_KEY_NOT_FOUND
   */
  async revoke(accountId: string, keyId: string): Promise<KeyRecord> {
    return this.db.transaction(async ({ sql }) => {
      await execute(sql, lockAccount, { accountId });
      if (isUuid(keyId)) await execute(sql, revokeKey, { accountId, keyId, defaultQuota: DEFAULT_DAILY_QUOTA });
      return this.change(sql, findKey, { accountId, keyId });
    });
  }

  /**
   * Sets how many playback tokens a key gives per UTC day, from its next request on. What today's are used stays used.
   *
   * @param sql of a transaction, where the change belongs to more, such as its audit entry
   * @throws API_KEY_NOT_FOUND, INVALID_INPUT
   */
  async setDailyQuota(
    accountId: string,
    keyId: string,
    dailyQuota: number,
    sql: Sql = this.db.sql,
  ): Promise<KeyRecord> {
    assertQuota(dailyQuota);
    return this.change(sql, setKeyLimit, { accountId, keyId, dailyQuota });
  }

  /** Whether a key could have this quota. @throws API_KEY_NOT_FOUND, INVALID_INPUT */
  async checkQuota(accountId: string, keyId: string, dailyQuota: number, sql: Sql): Promise<void> {
    assertQuota(dailyQuota);
    await this.change(sql, findKey, { accountId, keyId });
  }

  private async change<Params extends { readonly keyId: string }>(
    sql: Sql,
    change: TypedStatement<Params, KeyRow>,
    params: NoInfer<Params>,
  ): Promise<KeyRecord> {
    return recordOf(theOne(isUuid(params.keyId) ? await execute(sql, change, params) : []));
  }
}

function recordOf(row: KeyRow): KeyRecord {
  return {
    accountId: row.account_id,
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    dailyQuota: row.daily_limit,
    usedToday: row.used_today,
    createdAt: new Date(row.created_at),
    revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at),
  };
}

function assertQuota(dailyQuota: number): void {
  if (Number.isInteger(dailyQuota) && dailyQuota >= 0 && dailyQuota <= MAX_DAILY_QUOTA) return;
  throw new AppError('INVALID_INPUT', `A daily quota is a whole number from 0 to ${MAX_DAILY_QUOTA}.`);
}

function refuseTooMany({ live, created_today: createdToday }: { live: number; created_today: number }): void {
  if (live >= MAX_LIVE_KEYS) {
    throw new AppError('LIMIT_REACHED', `An account has at most ${MAX_LIVE_KEYS} API keys. Revoke one first.`);
  }
  if (createdToday >= MAX_CREATED_PER_DAY) {
    const message = `An account creates at most ${MAX_CREATED_PER_DAY} API keys a day. Try again after midnight UTC.`;
    throw new AppError('LIMIT_REACHED', message);
  }
}

function theOne(rows: KeyRow[]): KeyRow {
  const [row] = rows;
  if (!row) throw new AppError('API_KEY_NOT_FOUND', 'API key not found.');
  return row;
}

function cleanName(name: string): string {
  return checkedLine('A key’s name', name, { min: 1, max: MAX_NAME_LENGTH });
}
