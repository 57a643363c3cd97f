import type { EntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';

/**
 * A statement with a stable name, so that PostgreSQL parses and plans it once per connection. Placeholders are `$1`,
 * `$2`, …
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Only on typed statements. Callers cannot know the order of their values, so only `execute` runs them. */
  readonly parameters?: undefined;
}

/**
 * Runs one statement on any pooled connection, or inside a transaction.
 *
 * Rows come as PostgreSQL writes them: `bigint`, `numeric` and times as text (`BigInt(row.n)`, `new Date(row.t)`;
 * sessions run in UTC), `json`, booleans, integers, floats and text arrays as values.
 */
export interface Sql {
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** Statements on a pool or a connection that is not the service's own. It has pg's parsers: times come as dates. */
export function sqlOn(client: pg.Pool | pg.ClientBase): Sql {
  return {
    query: async <Row extends object>({ name, text }: Statement, values: readonly unknown[] = []) =>
      (await client.query<Row>({ name, text, values: [...values] })).rows,
  };
}

/** Statements and entities, inside or outside a transaction. */
export interface Queries {
  readonly sql: Sql;
  /** A new entity manager with an empty identity map: it finds what the database has now. */
  readonly em: () => EntityManager;
}

/** What runs inside one transaction. */
export type Transaction = Queries;

/** The part of the database that domain services use. Outside a transaction, each statement commits by itself. */
export interface Database extends Queries {
  /** Commits when `work` resolves, rolls back when it throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

export interface TransactionOptions {
  /** All statements see what was committed when the first began, and may only read. */
  readonly isSnapshot?: boolean;
}

/** Parameters of a statement that takes none. */
export type NoParams = object;

/** A statement with named and typed parameters and typed rows. `statement` makes it, `execute` runs it. */
export interface TypedStatement<Params extends object, Row extends object> {
  readonly name: string;
  readonly text: string;
  /** In the order of their numbers. */
  readonly parameters: readonly (keyof Params & string)[];
  /** Only for the compiler. */
  readonly types?: { readonly params: Params; readonly row: Row };
}

/** PostgreSQL truncates longer names, so two that begin alike would become one. */
const MAX_NAME_BYTES = 63;
/**
 * Matches what cannot be a parameter, then parameters. Skips comments, string literals, quoted names, dollar quotes and
 * casts. Put a parameter that ends an array slice in parentheses: `a[1:(:last)]`.
 */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|::|:([a-z]\w*)|\$\d+/g;

/**
 * A statement with `:named` parameters, which `execute` takes as an object. Create it once, when its module is loaded.
 *
 * @param name unique among all statements; PostgreSQL plans once per name and connection
 * @param text casts, string literals and comments are left alone
 * @throws if the name is longer than PostgreSQL allows, or a parameter is numbered
 */
export function statement<Params extends object = NoParams, Row extends object = Record<string, never>>(
  name: string,
  text: string,
): TypedStatement<Params, Row> {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new Error(`The statement's name is too long: ${name}`);
  const parameters: string[] = [];
  const numbered = text.replace(TOKEN, (token, _tag: string | undefined, parameter: string | undefined) => {
    if (/^\$\d/.test(token)) throw new Error(`${name} has ${token} beside named parameters`);
    if (parameter === undefined) return token;
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { name, text: numbered, parameters: parameters as (keyof Params & string)[] };
}

/** Runs a typed statement. @throws if a parameter is missing; pass `null` for no value */
export function execute<Row extends object>(sql: Sql, wanted: TypedStatement<NoParams, Row>): Promise<Row[]>;
export function execute<Params extends object, Row extends object>(
  sql: Sql,
  wanted: TypedStatement<Params, Row>,
  params: NoInfer<Params>,
): Promise<Row[]>;
export function execute<Params extends object, Row extends object>(
  sql: Sql,
  wanted: TypedStatement<Params, Row>,
  params?: Params,
): Promise<Row[]> {
  const values = wanted.parameters.map((name) => {
    const value = params?.[name];
    if (value === undefined) throw new Error(`${wanted.name} was not given ${name}`);
    return value;
  });
  return sql.query<Row>({ name: wanted.name, text: wanted.text }, values);
}
