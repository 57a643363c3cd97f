import type { EntityManager } from '@mikro-orm/postgresql';

/** A statement with a stable name: PostgreSQL parses and plans it once per connection. Placeholders are `$1`, `$2`, … */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Runs one statement: on any pooled connection, or inside a transaction.
 *
 * Rows come as PostgreSQL writes them: `bigint`, `numeric` and times as text (`BigInt(row.n)`, `new Date(row.t)`;
 * sessions run in UTC), `json`, booleans, integers, floats and text arrays as values.
 */
export interface Sql {
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** What runs inside one transaction. */
export interface Transaction {
  readonly sql: Sql;
}

/** What domain services are given of the database. */
export interface Database {
  /** Statements outside a transaction; each commits by itself. */
  readonly sql: Sql;
  /** Entities, read outside any transaction. */
  em(): EntityManager;
  /** Commits when `work` resolves, rolls back when it throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}
