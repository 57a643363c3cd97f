import { statement, type NoParams, type TypedStatement } from '../../db/sql.js';

/** How the rows of one table leave with their account, and arrive in another service. */
export interface MovedTable {
  readonly name: string;
  /** All columns that arrive; `account_id` is never taken from a row. */
  readonly columns: readonly string[];
  /** Opens the cursor `moved` over the account's rows, each as one line of JSON. Only inside a transaction. */
  readonly open: TypedStatement<{ accountId: string }, Record<string, never>>;
  readonly fetch: TypedStatement<NoParams, { line: string }>;
  /** `:rows` is a JSON array of such lines. */
  readonly insert: TypedStatement<{ accountId: string; rows: string }, Record<string, never>>;
}

export interface MovedColumns {
  /** Columns that move as they are. */
  readonly columns: readonly string[];
  /** Columns that leave as something else: SQL over the row `t`. */
  readonly leavingAs?: Readonly<Record<string, string>>;
  /** Columns that the new service sets: SQL. */
  readonly arrivingAs?: Readonly<Record<string, string>>;
  /** Which rows move: SQL over the row `t`. Default: all. */
  readonly where?: string;
  /** A small number for rows that may be large. */
  readonly rowsPerPage?: number;
}

const ROWS_PER_PAGE = 500;

export const CLOSE_MOVED = statement('moved-close', 'close moved');

/**
 * Describes a table whose rows move with their account. Rows are JSON from PostgreSQL to PostgreSQL, so no value changes
 * on its way.
 */
export function movedTable(
  name: string,
  { columns, leavingAs = {}, arrivingAs = {}, where = 'true', rowsPerPage = ROWS_PER_PAGE }: MovedColumns,
): MovedTable {
  const sent = [...columns.map((column) => `t.${column}`), ...renamed(leavingAs)];
  const carried = [...columns, ...Object.keys(leavingAs)];
  const arriving = [...carried, ...Object.keys(arrivingAs)];
  const values = [...carried.map((column) => `r.${column}`), ...Object.values(arrivingAs)];
  return {
    name,
    columns: arriving,
    open: statement(
      `moved-open-${name}`,
      `
        declare moved no scroll cursor for
        select row_to_json(r)::text as line
        from (select ${sent.join(', ')} from ${name} t where t.account_id = :accountId::uuid and ${where}) r`,
    ),
    fetch: statement(`moved-fetch-${rowsPerPage}`, `fetch forward ${rowsPerPage} from moved`),
    insert: statement(
      `moved-insert-${name}`,
      `
        insert into ${name} (account_id, ${arriving.join(', ')})
        select :accountId::uuid, ${values.join(', ')} from jsonb_populate_recordset(null::${name}, :rows::jsonb) r`,
    ),
  };
}

function renamed(expressions: Readonly<Record<string, string>>): string[] {
  return Object.entries(expressions).map(([column, sql]) => `${sql} as ${column}`);
}
