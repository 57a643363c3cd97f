import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

import { isDatabaseUnavailable } from '../errors.js';
import { isTraced, span, SpanKind } from '../tracing.js';
import { ormOptions, type OrmOptions } from './orm.js';
import type { Database, Sql, Statement, Transaction, TransactionOptions } from './sql.js';

/** The single connection pool of a process, shared by MikroORM and plain prepared statements. */
export class PostgresDatabase implements Database {
  private orm: MikroORM | null = null;

  private constructor(
    private readonly options: OrmOptions,
    /** For uses that need a dedicated connection, such as LISTEN. */
    readonly pool: pg.Pool,
  ) {}

  /** @param options.mayBeDown the database is not asked whether it is there */
  static async connect(options: OrmOptions & { readonly mayBeDown?: boolean }): Promise<PostgresDatabase> {
    const { driver } = new MikroORM({ ...ormOptions(options), discovery: { skipSyncDiscovery: true } });
    const connection = driver.getConnection();
    await connection.connect({ skipOnConnect: true });
    const pool = await connection.getNativeClient();
    const database = new PostgresDatabase(options, pool);
    try {
      if (!options.mayBeDown) await database.sql.query(IS_THERE);
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  readonly sql: Sql = {
    query: async <Row extends object>(statement: Statement, values?: readonly unknown[]) => {
      // The pool's own `query` discards the connection after any error, even a refused overdraft.
      const client = await this.pool.connect();
      let isReleased = false;
      return run<Row>(client, statement, values, (error) => {
        // pg calls back twice about a value that it cannot send: at once, and when its connection is closed for it.
        if (isReleased) return;
        isReleased = true;
        const isSound = error === null || (error instanceof pg.DatabaseError && !isDatabaseUnavailable(error));
        client.release(!isSound);
      });
    },
  };

  em(): EntityManager {
    return this.entities().fork();
  }

  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { isSnapshot = false }: TransactionOptions = {},
  ): Promise<T> {
    const client = await this.pool.connect();
    let isSound = false;
    try {
      await client.query(isSnapshot ? 'begin isolation level repeatable read read only' : 'begin');
      const result = await work({
        sql: { query: (statement, values) => run(client, statement, values) },
        em: () => bindToTransaction(this.em(), client),
      });
      await client.query('commit');
      isSound = true;
      return result;
    } catch (error) {
      // A connection that cannot roll back is lost or in an unknown state: never reuse it.
      isSound = await client.query('rollback').then(
        () => !isDatabaseUnavailable(error),
        () => false,
      );
      throw error;
    } finally {
      client.release(!isSound);
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  /** Reading all entities takes longer than connecting, and most commands need none. */
  private entities(): EntityManager {
    this.orm ??= new MikroORM({
      ...ormOptions(this.options),
      driverOptions: new PostgresDialect({ pool: this.pool }),
      // Its check would wait for a second connection inside a transaction that has the only one.
      ensureDatabase: false,
    });
    return this.orm.em;
  }
}

const IS_THERE: Statement = { name: 'database-is-there', text: 'select' };

/**
 * Runs a statement by name, so that PostgreSQL parses and plans it once per connection, also inside transactions.
 *
 * @param onEnd called before the promise settles; pg may call it twice
 */
function run<Row extends object>(
  client: pg.PoolClient,
  statement: Statement,
  values: readonly unknown[] = [],
  onEnd?: (error: Error | null) => void,
): Promise<Row[]> {
  const { name, text } = statement;
  // With a callback instead of pg's promise: after an `await` of that promise, the rows of each statement lived until
  // the next full collection.
  const ask = () =>
    new Promise<Row[]>((resolve, reject) => {
      client.query<Row>({ name, text, values: [...values] }, (error: Error | null, result) => {
        onEnd?.(error);
        if (error) reject(error);
        else resolve(result.rows);
      });
    }).catch((error: Error) => {
      // Like pg's own promise: the stack leads to the caller, not to the socket.
      Error.captureStackTrace(error);
      throw error;
    });
  // Traced by name, because values are about people.
  return isTraced()
    ? span(`sql ${name}`, { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } }, ask)
    : ask();
}

/**
 * Binds an entity manager to the transaction that `client` is in. The caller that began it commits it and gives the
 * connection back; a flush adds no transaction of its own.
 */
export function bindToTransaction(em: EntityManager, client: pg.PoolClient): EntityManager {
  const borrowed = { query: client.query.bind(client), release: () => undefined };
  const pool = { options: {}, connect: () => Promise.resolve(borrowed), end: () => Promise.resolve() };
  em.setTransactionContext(new Kysely<object>({ dialect: new PostgresDialect({ pool }) }));
  return em;
}
