import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';

import { bindToTransaction } from '../../../../src/db/database.js';
import { ormOptions } from '../../../../src/db/orm.js';
import type { Database, Sql, Statement, Transaction } from '../../../../src/db/sql.js';

/**
 * PostgreSQL behind the service's database interface, with every statement prepared and its own pool: fast
 * enough for tens of thousands of steps in one test. It has entities inside transactions only.
 */
export class LeanDatabase implements Database {
  private readonly pool: pg.Pool;
  /** Never connects: its entity managers are bound to connections of the pool. */
  private readonly orm: MikroORM;
  readonly sql: Sql;

  constructor(url: string, maxConnections: number) {
    this.orm = new MikroORM(ormOptions({ url, maxConnections: 1 }));
    this.pool = new pg.Pool({ connectionString: url, max: maxConnections, options: '-c timezone=UTC' });
    this.pool.on('error', () => undefined);
    this.pool.on('connect', keepText);
    this.sql = { query: (statement, values) => this.alone(statement, values) };
  }

  em(): EntityManager {
    throw new Error('there are no entities outside of a transaction');
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const result = await work({ sql: sqlOver(client), em: () => bindToTransaction(this.orm.em.fork(), client) });
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  /** The pool's own `query` would discard the connection after every refusal. */
  private async alone<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> {
    const client = await this.pool.connect();
    try {
      return await sqlOver(client).query<Row>(statement, values);
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

function sqlOver(client: pg.PoolClient): Sql {
  return {
    query: async <Row extends object>(statement: { name: string; text: string }, values: readonly unknown[] = []) =>
      (await client.query<Row>({ ...statement, values: [...values] })).rows,
  };
}

const TIMES = [1082, 1114, 1184];

/** Returns times as PostgreSQL writes them, which the service expects. */
function keepText(client: pg.PoolClient): void {
  for (const type of TIMES) client.setTypeParser(type, (text: string) => text);
}
