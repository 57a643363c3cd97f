import type { Database, Sql, Statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { isUuid, newId } from '../ids.js';
import { generateKey, type KeyMode } from './keyFormat.js';
import {
  countLiveKeys,
  insertKey,
  keyDays,
  listKeys,
  lockAccount,
  renameKey,
  revokeKey,
  setKeyLimit,
} from './statements.js';

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
  /** Playback tokens minted since the last UTC midnight. */
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

const MAX_LIVE_KEYS = 100;
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
   * @throws INVALID_INPUT for a name that is empty or over 100 characters, ACCOUNT_SUSPENDED, and LIMIT_REACHED when
   * 100 keys of the account are not revoked.
   */
  async create(accountId: string, input: { name: string }): Promise<{ key: string; record: KeyRecord }> {
    const name = cleanName(input.name);
    const key = generateKey(this.mode);
    const row = await this.db.transaction(async ({ sql }) => {
      // The lock first and the count in a statement after it: two creations, or one and a suspension, take turns.
      const [account] = await sql.query<{ suspended: boolean }>(lockAccount, [accountId]);
      if (!account) throw new AppError('ACCOUNT_NOT_FOUND', 'There is no such account.');
      if (account.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
      const [count] = await sql.query<{ live: number }>(countLiveKeys, [accountId]);
      if (!count || count.live >= MAX_LIVE_KEYS) {
        throw new AppError('LIMIT_REACHED', `An account has at most ${MAX_LIVE_KEYS} API keys. Revoke one first.`);
      }
      const values = [accountId, newId(), name, key.hash, key.prefix, key.last4];
      return theOne(await sql.query<KeyRow>(insertKey, values));
    });
    return { key: key.text, record: recordOf(row) };
  }

  /** All keys, newest first, the revoked ones included. */
  async list(accountId: string): Promise<KeyRecord[]> {
    return (await this.db.sql.query<KeyRow>(listKeys, [accountId])).map(recordOf);
  }

  /** Per key, its days with mints among the last `days`, oldest first and today's included. */
  async usage(accountId: string, keyIds: readonly string[], days: number): Promise<ReadonlyMap<string, KeyDay[]>> {
    const rows = await this.db.sql.query<KeyDayRow>(keyDays, [accountId, keyIds, days]);
    const usage = new Map<string, KeyDay[]>(keyIds.map((id) => [id, []]));
    for (const { key_id: id, day, used, daily_limit: dailyQuota } of rows)
      usage.get(id)?.push({ day, used, dailyQuota });
    return usage;
  }

  /** @throws API_KEY_NOT_FOUND, INVALID_INPUT */
  async rename(accountId: string, keyId: string, name: string): Promise<KeyRecord> {
    return this.change(this.db.sql, renameKey, [accountId, keyId, cleanName(name)]);
  }

  /**
   * Ends a key: the next request with it is refused, on every process. Revoking again changes nothing.
   *
   * @throws API_KEY_NOT_FOUND
   */
  async revoke(accountId: string, keyId: string): Promise<KeyRecord> {
    return this.change(this.db.sql, revokeKey, [accountId, keyId]);
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
    if (!Number.isInteger(dailyQuota) || dailyQuota < 0 || dailyQuota > MAX_DAILY_QUOTA) {
      throw new AppError('INVALID_INPUT', `A daily quota is a whole number from 0 to ${MAX_DAILY_QUOTA}.`);
    }
    return this.change(sql, setKeyLimit, [accountId, keyId, dailyQuota]);
  }

  private async change(
    sql: Sql,
    statement: Statement,
    values: [accountId: string, keyId: string, ...rest: unknown[]],
  ): Promise<KeyRecord> {
    return recordOf(theOne(isUuid(values[1]) ? await sql.query<KeyRow>(statement, values) : []));
  }
}

interface KeyDayRow {
  key_id: string;
  day: string;
  used: number;
  daily_limit: number;
}

interface KeyRow {
  account_id: string;
  id: string;
  name: string;
  prefix: string;
  last4: string;
  daily_limit: number;
  used_today: number;
  created_at: string;
  revoked_at: string | null;
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

function theOne(rows: KeyRow[]): KeyRow {
  const [row] = rows;
  if (!row) throw new AppError('API_KEY_NOT_FOUND', 'There is no such API key.');
  return row;
}

function cleanName(name: string): string {
  const clean = name.trim();
  // PostgreSQL's text holds no NUL.
  if (clean.length === 0 || clean.length > MAX_NAME_LENGTH || clean.includes('\0')) {
    throw new AppError('INVALID_INPUT', `A key's name has 1 to ${MAX_NAME_LENGTH} characters.`);
  }
  return clean;
}
