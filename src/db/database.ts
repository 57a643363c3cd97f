import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import pg from 'pg';

import { isDatabaseUnavailable } from '../errors.js';
import { ormOptions, type OrmOptions } from './orm.js';
import type { Database, Sql, Statement, Transaction } from './sql.js';

/** The one connection pool of a process, under MikroORM and plain prepared statements alike. */
export class PostgresDatabase implements Database {
  private constructor(
    private readonly orm: MikroORM,
    /** For what needs a connection of its own, such as LISTEN. */
    readonly pool: pg.Pool,
  ) {}

  static async connect(options: OrmOptions): Promise<PostgresDatabase> {
    const orm = await MikroORM.init(ormOptions(options));
    const pool = await (orm.em.getConnection() as unknown as { getNativeClient(): Promise<pg.Pool> }).getNativeClient();
    return new PostgresDatabase(orm, pool);
  }

  readonly sql: Sql = {
    query: async <Row extends object>(statement: Statement, values: readonly unknown[] = []) => {
      // The pool's own `query` throws a connection away after any error, a refused overdraft included.
      const client = await this.pool.connect();
      let isSound = false;
      try {
        const result = await client.query<Row>({ ...statement, values: values as unknown[] });
        isSound = true;
        return result.rows;
      } catch (error) {
        isSound = error instanceof pg.DatabaseError && !isDatabaseUnavailable(error);
        throw error;
      } finally {
        client.release(!isSound);
      }
    },
  };

  em(): EntityManager {
    // Inside a transaction of another database, MikroORM would otherwise hand out that one's entity manager.
    return this.orm.em.fork({ disableContextResolution: true });
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.em().transactional((em) => work({ em, sql: transactionSql(em) }));
  }

  async close(): Promise<void> {
    await this.orm.close(true);
  }
}

function transactionSql(em: EntityManager): Sql {
  return {
    query: async <Row extends object>(statement: Statement, values: readonly unknown[] = []) => {
      // Entities changed so far must be visible to the statement.
      await em.flush();
      const result = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(statement.text, [...values]));
      return result.rows;
    },
  };
}
