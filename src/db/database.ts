import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
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
    query: async <Row extends object>(statement: Statement, values?: readonly unknown[]) => {
      // The pool's own `query` throws a connection away after any error, a refused overdraft included.
      const client = await this.pool.connect();
      let isSound = false;
      try {
        const rows = await run<Row>(client, statement, values);
        isSound = true;
        return rows;
      } catch (error) {
        isSound = error instanceof pg.DatabaseError && !isDatabaseUnavailable(error);
        throw error;
      } finally {
        client.release(!isSound);
      }
    },
  };

  em(): EntityManager {
    return this.orm.em.fork();
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let isSound = false;
    try {
      await client.query('begin');
      const result = await work({ sql: { query: (statement, values) => run(client, statement, values) } });
      await client.query('commit');
      isSound = true;
      return result;
    } catch (error) {
      // One that cannot roll back is lost, or in a state that nobody must get.
      isSound = await client.query('rollback').then(
        () => true,
        () => false,
      );
      throw error;
    } finally {
      client.release(!isSound);
    }
  }

  async close(): Promise<void> {
    await this.orm.close(true);
  }
}

/** By its name, so that PostgreSQL parses and plans it once per connection, inside transactions too. */
async function run<Row extends object>(
  client: pg.PoolClient,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await client.query<Row>({ name: statement.name, text: statement.text, values: [...values] });
  return result.rows;
}
