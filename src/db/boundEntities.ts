import type { EntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';

/**
 * Binds an entity manager to the transaction that `client` is in. Whoever has begun it commits it and gives the
 * connection back; a flush adds no transaction of its own.
 */
export function bindToTransaction(em: EntityManager, client: pg.PoolClient): EntityManager {
  const borrowed = { query: client.query.bind(client), release: () => undefined };
  const pool = { options: {}, connect: () => Promise.resolve(borrowed), end: () => Promise.resolve() };
  em.setTransactionContext(new Kysely<object>({ dialect: new PostgresDialect({ pool }) }));
  return em;
}
