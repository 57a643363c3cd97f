import { type Database, execute, type Sql, type TypedStatement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { checkedLine } from '../../../readableText.js';
import { isUuid, newId } from '../../shared/ids.js';
import { askForFault, type KeyFault } from '../testMode/testFaults.js';
import { generateKey } from './keyFormat.js';
import {
  countKeys,
  findKey,
  insertKey,
  keyDays,
  listKeys,
  listRevokedKeys,
  lockAccount,
  nearlyUseQuota,
  removeRevokedKeys,
  renameKey,
  REVOKE_ALL_KEYS,
  revokeKey,
  setKeyLimit,
  type KeyRow,
} from './apiKey.sql.js';

/** A key as its owner and support see it. */
export interface KeyRecord {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  /** The first 12 characters of the key. */
  readonly prefix: string;
  readonly last4: string;
  /** Playback tokens per UTC day. */
  readonly dailyQuota: number;
  /** Playback tokens used since the last UTC midnight, including those taken over from revoked keys. */
  readonly usedToday: number;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** What a key minted on one UTC day. */
export interface KeyDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly used: number;
  /** The quota when the day's last token was minted. */
  readonly dailyQuota: number;
}

const MAX_LIVE_KEYS = 20;
/** Enough to rotate every key of a program every few minutes. */
const MAX_CREATED_PER_DAY = 100;
/** The number of revoked keys kept. Creating a key deletes older ones. */
const REVOKED_KEYS_KEPT = 100;
/** The number of revoked keys listed beside the live ones. */
const REVOKED_KEYS_LISTED = 20;
/** A new key's quota: playback tokens per UTC day. */
const DEFAULT_DAILY_QUOTA = 1000;
const MAX_NAME_LENGTH = 100;
/** Fits the column, and is more than anyone plays in a day. */
const MAX_DAILY_QUOTA = 2_000_000_000;

/** The API keys of an account. playback/ counts what a key mints, in the key's own row. */
export class KeyService {
  private readonly db: Database;

  constructor(deps: { db: Database }) {
    this.db = deps.db;
  }

  /**
   * Creates a key: `dk_test_…` for a test account, `dk_live_…` for any other. `key` is shown to its owner once and can
   * never be read again.
   *
   * Its quota for today is reduced by what the account's revoked keys minted today, unless another new key has taken
   * that over. So rotating a key continues its count, and revoking a key does not yield a second quota.
   *
   * @param input.testFault what is to go wrong, in test mode
   * @throws INVALID_INPUT for a name that is empty or over 100 characters, or a fault in live mode; ACCOUNT_SUSPENDED; and
   * LIMIT_REACHED with 20 live keys or 100 keys created today
   */
  async create(
    accountId: string,
    input: { readonly name: string; readonly testFault?: KeyFault | null | undefined },
  ): Promise<{ key: string; record: KeyRecord }> {
    const name = cleanName(input.name);
    return this.db.transaction(async ({ sql }) => {
      // Lock first, then count in a later statement, so that creations, revocations and suspensions are serialized.
      const [account] = await execute(sql, lockAccount, { accountId });
      if (!account) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
      if (account.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
      const [count] = await execute(sql, countKeys, { accountId });
      refuseTooMany(count!);
      await execute(sql, removeRevokedKeys, { accountId, kept: REVOKED_KEYS_KEPT });

      const key = generateKey(account.is_test ? 'test' : 'live');
      const row = theOne(
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
      const { testFault = null } = input;
      await askForFault(sql, { accountId, subjectId: row.id, fault: testFault });
      const [used] =
        testFault === 'QUOTA_NEARLY_USED' ? await execute(sql, nearlyUseQuota, { accountId, keyId: row.id }) : [];
      return { key: key.text, record: recordOf(used ?? row) };
    });
  }

  /** The live keys and the 20 most recently revoked ones, newest first. */
  async list(accountId: string): Promise<KeyRecord[]> {
    return (await execute(this.db.sql, listKeys, { accountId, revokedListed: REVOKED_KEYS_LISTED })).map(recordOf);
  }

  /** Most recently revoked first. An account keeps its last 100 revoked keys, and those created today. */
  async listRevoked(accountId: string, page: { first: number; after: string | null }): Promise<KeyRecord[]> {
    if (page.after !== null && !isUuid(page.after)) {
      throw new AppError('INVALID_PARAMETER', 'after: invalid cursor.');
    }
    return (await execute(this.db.sql, listRevokedKeys, { accountId, first: page.first, after: page.after })).map(
      recordOf,
    );
  }

  /** For each key, the days among the last `days` on which it minted, oldest first and including today. */
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
   * Revokes a key; every process refuses it from the next request on. Revoking again changes nothing.
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
   * Sets how many playback tokens a key may mint per UTC day, from its next request on. Tokens used today stay counted.
   *
   * @param sql of a transaction, if the change belongs to a larger one, such as with its audit entry
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

  /** Checks that the key exists and could have this quota. @throws API_KEY_NOT_FOUND, INVALID_INPUT */
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

/** Revokes all live keys of accounts whose rows the caller has locked. */
export async function revokeAllKeys(sql: Sql, accountIds: readonly string[]): Promise<void> {
  await execute(sql, REVOKE_ALL_KEYS, { accountIds, defaultQuota: DEFAULT_DAILY_QUOTA });
}
