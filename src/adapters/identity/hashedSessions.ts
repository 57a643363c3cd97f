import { createHash } from 'node:crypto';

import type { DBAdapter, DBTransactionAdapter, Where } from 'better-auth/types';

type TransactionAdapter = DBTransactionAdapter;
type Row = Record<string, unknown>;

/** The form in which the database stores a session's token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/**
 * Keeps session tokens out of the database: better-auth sees the token it created, the row holds its SHA-256.
 *
 * Wrapping the adapter, rather than keeping sessions of our own, leaves every path of better-auth (sign-in, TOTP,
 * password changes, revocation) in charge of sessions, so none of them can forget ours. Tokens carry 190 random bits,
 * so a plain hash is enough. Rows that are not found by token, such as a user's list of sessions, contain the hash
 * instead: code that lists sessions must end them by id.
 */
export function withHashedSessions(adapter: DBAdapter): DBAdapter {
  return {
    ...adapter,
    ...hashing(adapter),
    transaction: (work) => adapter.transaction((trx) => work({ ...trx, ...hashing(trx) })),
  };
}

function hashing(
  adapter: TransactionAdapter,
): Pick<
  TransactionAdapter,
  | 'create'
  | 'findOne'
  | 'findMany'
  | 'count'
  | 'update'
  | 'updateMany'
  | 'delete'
  | 'deleteMany'
  | 'consumeOne'
  | 'incrementOne'
> {
  return {
    create: async <T extends Row, R = T>(
      query: Parameters<TransactionAdapter['create']>[0] & { data: Omit<T, 'id'> },
    ) => {
      const token = query.model === 'session' ? (query.data as Row)['token'] : undefined;
      if (typeof token !== 'string') return adapter.create<T, R>(query);
      const row = await adapter.create<T, R>({ ...query, data: { ...query.data, token: hashToken(token) } });
      return { ...row, token };
    },
    findOne: async (query) => unhashed(await adapter.findOne(hashed(query)), query),
    findMany: async <T>(query: Parameters<TransactionAdapter['findMany']>[0]) => {
      const rows = await adapter.findMany<T>(hashed(query));
      return rows.map((row) => unhashed(row, query));
    },
    count: (query) => adapter.count(hashed(query)),
    update: async (query) => unhashed(await adapter.update(hashed(query)), query),
    updateMany: (query) => adapter.updateMany(hashed(query)),
    delete: (query) => adapter.delete(hashed(query)),
    deleteMany: (query) => adapter.deleteMany(hashed(query)),
    consumeOne: async (query) => unhashed(await adapter.consumeOne(hashed(query)), query),
    incrementOne: async (query) => unhashed(await adapter.incrementOne(hashed(query)), query),
  };
}

interface Query {
  model: string;
  where?: Where[] | undefined;
}

function hashed<Q extends Query>(query: Q): Q {
  if (query.model !== 'session' || !query.where) return query;
  return { ...query, where: query.where.map((term) => (term.field === 'token' ? hashedTerm(term) : term)) };
}

function hashedTerm(term: Where): Where {
  const { value } = term;
  if (typeof value === 'string') return { ...term, value: hashToken(value) };
  if (Array.isArray(value)) return { ...term, value: value.map((token) => hashToken(String(token))) };
  throw new TypeError('A session token is compared with a string or a list of strings.');
}

/** Restores the token by which a session was looked up. */
function unhashed<T>(row: T, query: Query): T {
  if (query.model !== 'session' || row === null || typeof row !== 'object' || !('token' in row)) return row;
  const asked = (query.where ?? [])
    .filter((term) => term.field === 'token')
    .flatMap((term) => term.value)
    .find((value) => typeof value === 'string' && hashToken(value) === row.token);
  return asked === undefined ? row : { ...row, token: asked };
}
