import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { AccessTokenScope, Identity, Viewer } from '../../../ports/identity.js';
import { checkedLine } from '../../../readableText.js';
import { isUuid, newId } from '../../shared/ids.js';
import { KEEP_SESSION } from '../account.sql.js';
import { queueNotices } from '../notices/queueNotice.js';
import { lockAccount } from '../keys/apiKey.sql.js';
import { generateSecret, hashSecret } from '../keys/keyFormat.js';
import {
  type AccessTokenRow,
  findToken,
  forgetTokens,
  insertToken,
  listTokens,
  revokeToken,
  touchToken,
} from './accessToken.sql.js';

/** An access token as its owner sees it. */
export interface AccessTokenRecord {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly AccessTokenScope[];
  /** The first 12 characters of the token. */
  readonly prefix: string;
  readonly last4: string;
  readonly createdAt: Date;
  /** `null` if it does not expire. */
  readonly expiresAt: Date | null;
  /** Accurate to the minute; `null` until the token is used. */
  readonly lastUsedAt: Date | null;
}

export interface NewAccessToken {
  readonly name: string;
  readonly scopes: readonly AccessTokenScope[];
  /** 1 to 365; `null` if the token does not expire. */
  readonly expiresInDays: number | null;
}

const PREFIX = 'dpat_';
const MAX_LIVE_TOKENS = 20;
const MAX_NAME_LENGTH = 100;
const MAX_DAYS = 365;

/** Access tokens, which owners' programs use for GraphQL. */
export class AccessTokenService {
  constructor(private readonly deps: { readonly db: Database; readonly identity: Pick<Identity, 'viewerOfUser'> }) {}

  /**
   * Creates a token. `token` is shown to its owner once and can never be read again. Every token has the scope `read`.
   *
   * @param by the account, and the session of the request: if a password reset ends it meanwhile, there is no token
   * @throws INVALID_INPUT for a bad name or number of days, LIMIT_REACHED with 20 live tokens, ACCOUNT_SUSPENDED,
   * UNAUTHENTICATED if the session has ended
   */
  async create(
    { accountId, sessionId }: { readonly accountId: string; readonly sessionId: string },
    wanted: NewAccessToken,
  ): Promise<{ token: string; record: AccessTokenRecord }> {
    const name = checkedLine('A token’s name', wanted.name, { min: 1, max: MAX_NAME_LENGTH });
    const { expiresInDays } = wanted;
    if (expiresInDays !== null && (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > MAX_DAYS)) {
      throw new AppError('INVALID_INPUT', `A token expires in 1 to ${MAX_DAYS} days, or never.`);
    }
    const { text: token, hash, prefix, last4 } = generateSecret(PREFIX);
    const scopes = [...new Set<AccessTokenScope>(['read', ...wanted.scopes])];
    const [row] = await this.deps.db.transaction(async ({ sql }) => {
      const [account] = await execute(sql, lockAccount, { accountId });
      if (!account) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
      if (account.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
      const [session] = await execute(sql, KEEP_SESSION, { sessionId });
      if (!session) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
      await execute(sql, forgetTokens, { accountId });
      const values = { accountId, id: newId(), name, scopes, hash, prefix, last4, expiresInDays };
      const rows = await execute(sql, insertToken, { ...values, max: MAX_LIVE_TOKENS });
      const data = { name, prefix, last4, scopes };
      const key = `access-token:${values.id}`;
      await queueNotices(
        sql,
        rows.map(() => ({ accountId, key, kind: 'access_token.created', data })),
      );
      return rows;
    });
    if (!row) {
      throw new AppError('LIMIT_REACHED', `An account has at most ${MAX_LIVE_TOKENS} access tokens. Revoke one first.`);
    }
    return { token, record: recordOf(row) };
  }

  /** Live tokens, newest first. */
  async list(accountId: string): Promise<AccessTokenRecord[]> {
    return (await execute(this.deps.db.sql, listTokens, { accountId })).map(recordOf);
  }

  /** Revokes a token; its next request is refused. Revoking again changes nothing. @throws ACCESS_TOKEN_NOT_FOUND */
  async revoke(accountId: string, id: string): Promise<void> {
    const rows = isUuid(id) ? await execute(this.deps.db.sql, revokeToken, { accountId, id }) : [];
    if (rows.length === 0) throw new AppError('ACCESS_TOKEN_NOT_FOUND', 'Access token not found.');
  }

  /**
   * Returns the viewer who sends a request with this token, or `null` if it is malformed, unknown, revoked or expired.
   */
  async viewerOf(token: string): Promise<Viewer | null> {
    const hash = hashSecret(token, /^dpat_$/);
    if (hash === null) return null;
    const { sql } = this.deps.db;
    const [found] = await execute(sql, findToken, { hash });
    if (!found) return null;
    const { account_id: accountId, id, scopes, is_stale: isStale } = found;
    const viewer = await this.deps.identity.viewerOfUser(accountId);
    if (viewer === null) return null;
    if (isStale) await execute(sql, touchToken, { accountId, id });
    return { ...viewer, accessToken: { id, scopes } };
  }
}

function recordOf(row: AccessTokenRow): AccessTokenRecord {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    prefix: row.prefix,
    last4: row.last4,
    createdAt: new Date(row.created_at),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
  };
}
