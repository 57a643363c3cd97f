import type { Sql, Statement } from '../../db/sql.js';

/** A statement whose parameters have names and types, and whose rows have a type. */
export interface TypedStatement<Params extends object, Row extends object> extends Statement {
  /** In the order of their numbers. */
  readonly parameters: readonly (keyof Params & string)[];
  /** For the compiler alone. */
  readonly row?: Row;
}

/** What PostgreSQL keeps of a name; two that begin alike would be one. */
const MAX_NAME_BYTES = 63;
/**
 * What is no parameter, and then what is: comments, texts, quoted names, dollar quotes and casts are passed over. A slice of
 * an array by a parameter wants brackets around it: `a[1:(:last)]`.
 */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|::|:([a-z]\w*)|\$\d+/g;

/**
 * A statement with `:named` parameters, which `run` is given as an object. Made once, when its module is loaded.
 *
 * @param name unique among all statements; PostgreSQL plans by it once per connection
 * @param text casts, texts and comments are left alone
 * @throws where the name is longer than PostgreSQL keeps, or a parameter has a number
 */
export function statement<Params extends object, Row extends object = Record<string, never>>(
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

/** Runs it. @throws where a parameter is missing: `null` has to be said */
export function run<Params extends object, Row extends object>(
  sql: Sql,
  wanted: TypedStatement<Params, Row>,
  params: Params,
): Promise<Row[]> {
  const values = wanted.parameters.map((name) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${wanted.name} was not given ${name}`);
    return value;
  });
  return sql.query<Row>(wanted, values);
}
