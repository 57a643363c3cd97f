import type { EntityManager } from '@mikro-orm/postgresql';

/** A statement with a stable name: PostgreSQL parses and plans it once per connection. Placeholders are `$1`, `$2`, … */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Of a typed statement alone: its values have no order that a caller could know, so only `execute` runs it. */
  readonly parameters?: undefined;
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

/** Parameters of a statement that has none. */
export type NoParams = object;

/** A statement whose parameters have names and types, and whose rows have a type. `statement` makes it, `execute` runs it. */
export interface TypedStatement<Params extends object, Row extends object> {
  readonly name: string;
  readonly text: string;
  /** In the order of their numbers. */
  readonly parameters: readonly (keyof Params & string)[];
  /** For the compiler alone. */
  readonly types?: { readonly params: Params; readonly row: Row };
}

/** PostgreSQL cuts longer names, and two that begin alike would be one. */
const MAX_NAME_BYTES = 63;
/**
 * What is not a parameter, then what is. Comments, texts, quoted names, dollar quotes and casts are skipped. Put a parameter
 * that ends an array slice in parentheses: `a[1:(:last)]`.
 */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|::|:([a-z]\w*)|\$\d+/g;

/**
 * A statement with `:named` parameters, which `execute` is given as an object. Made once, when its module is loaded.
 *
 * @param name unique among all statements; PostgreSQL plans by it once per connection
 * @param text casts, texts and comments are left alone
 * @throws where the name is longer than PostgreSQL keeps, or a parameter has a number
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

/** Runs it. @throws where a parameter is missing; pass `null` for no value */
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
