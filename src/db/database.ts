import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type pg from 'pg';

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
      const result = await this.pool.query<Row>({ ...statement, values: values as unknown[] });
      return result.rows;
    },
  };

  em(): EntityManager {
    return this.orm.em.fork();
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.orm.em.fork().transactional((em) => work({ em, sql: transactionSql(em) }));
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
