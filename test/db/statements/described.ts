import type pg from 'pg';

import type { RecordedStatement } from '../../support/statements/recorded.js';

/** A column of a statement's rows, as PostgreSQL describes it. */
export interface DescribedColumn {
  readonly name: string;
  /** For example `int8` or `_text`. */
  readonly type: string;
  /** If it is a column of a table, taken as it is. */
  readonly from: TableColumn | null;
}

export interface TableColumn {
  /** For example `video.title`. */
  readonly name: string;
  readonly table: string;
  readonly isNullable: boolean;
  /** If a check constraint lists the texts that it may be: which. */
  readonly literals: readonly string[] | null;
}

export interface Description {
  /** The types of `$1`, `$2`, … */
  readonly parameters: readonly string[];
  /** `null` if the statement returns no rows. */
  readonly columns: readonly DescribedColumn[] | null;
}

interface RowField {
  readonly name: string;
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
}

interface ParameterDescription {
  readonly dataTypeIDs: readonly number[];
}

/** PostgreSQL's messages as pg's connection passes them on; its types do not have them. */
interface Wire {
  parse(query: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void;
  describe(what: { readonly type: 'S' }): void;
  sync(): void;
  on(event: 'parameterDescription', handle: (message: ParameterDescription) => void): void;
  off(event: 'parameterDescription', handle: (message: ParameterDescription) => void): void;
}

/** Asks PostgreSQL what statements take and return. It parses them, and runs none. */
export class Describer {
  private constructor(
    private readonly client: pg.Client,
    private readonly types: ReadonlyMap<number, string>,
    private readonly columns: ReadonlyMap<string, TableColumn>,
  ) {}

  static async over(client: pg.Client): Promise<Describer> {
    const types = await client.query<{ oid: number; name: string }>(
      `select t.oid, coalesce(base.typname, t.typname) as name
       from pg_type t left join pg_type base on t.typtype = 'd' and base.oid = t.typbasetype`,
    );
    const columns = await client.query<{
      place: string;
      table: string;
      name: string;
      nullable: boolean;
      checks: string[];
    }>(
      `select c.oid || '/' || a.attnum as place, c.relname as table, c.relname || '.' || a.attname as name, not a.attnotnull as nullable,
         array(
           select pg_get_constraintdef(k.oid) from pg_constraint k
           where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
         ) as checks
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p')`,
    );
    return new Describer(
      client,
      new Map(types.rows.map(({ oid, name }) => [oid, name])),
      new Map(
        columns.rows.map(({ place, table, name, nullable, checks }) => [
          place,
          { name, table, isNullable: nullable && !checks.some(isNotNull), literals: literalsOf(checks) },
        ]),
      ),
    );
  }

  async describe({ text }: Pick<RecordedStatement, 'text'>): Promise<Description> {
    const { parameters, fields } = await this.ask(text);
    const typeOf = (oid: number): string => this.types.get(oid) ?? `type ${oid}`;
    return {
      parameters: parameters.map(typeOf),
      columns:
        fields?.map(({ name, tableID, columnID, dataTypeID }) => ({
          name,
          type: typeOf(dataTypeID),
          from: this.columns.get(`${tableID}/${columnID}`) ?? null,
        })) ?? null,
    };
  }

  private ask(
    text: string,
  ): Promise<{ readonly parameters: readonly number[]; readonly fields: readonly RowField[] | null }> {
    return new Promise((resolve, reject) => {
      let parameters: readonly number[] = [];
      let fields: readonly RowField[] | null = null;
      const learn = ({ dataTypeIDs }: ParameterDescription): void => {
        parameters = dataTypeIDs;
      };
      let wire: Wire;
      this.client.query({
        submit(connection: pg.Connection) {
          wire = connection as unknown as Wire;
          wire.on('parameterDescription', learn);
          wire.parse({ name: '', text, types: [] });
          wire.describe({ type: 'S' });
          wire.sync();
        },
        handleRowDescription(message: { readonly fields: readonly RowField[] }) {
          fields = message.fields;
        },
        handleReadyForQuery() {
          wire.off('parameterDescription', learn);
          resolve({ parameters, fields });
        },
        handleError(error: Error) {
          wire.off('parameterDescription', learn);
          reject(error);
        },
      } as pg.Submittable);
    });
  }
}

const LIST = /^CHECK \(\(+\w+ = ANY \(+ARRAY\[(?<list>[^\]]*)\]/;
const ONE = /^CHECK \(\(+\w+ = (?<list>'[^']*'::text)\)+$/;

/** What `check (column in ('a', 'b'))` allows, as PostgreSQL writes it. Other constraints say nothing. */
function literalsOf(checks: readonly string[]): readonly string[] | null {
  for (const check of checks) {
    if (/ (OR|AND) /.test(check)) continue;
    const { list } = (LIST.exec(check) ?? ONE.exec(check))?.groups ?? {};
    if (list) return [...list.matchAll(/'([^']*)'/g)].map(([, text = '']) => text).toSorted();
  }
  return null;
}

function isNotNull(check: string): boolean {
  return /^CHECK \(\(\w+ IS NOT NULL\)\)$/.test(check);
}
