import { type NoParams, execute, type Sql, statement } from '../../../db/sql.js';

/** The most rows named per check; the rest are only counted. */
const MAX_ROWS = 20;

/** One thing that is stuck. */
export interface Finding {
  /** A row's key, a file, or an object. */
  readonly subject: string;
  /** `null` if unknown. */
  readonly since: Date | null;
  /** Why it counts as stuck, in words for the operator. */
  readonly why: string;
}

export interface Findings {
  readonly count: number;
  /** The oldest ones, at most {@link MAX_ROWS}. */
  readonly rows: readonly Finding[];
  /** What limits the result, such as a walk that was cut short. */
  readonly note?: string;
}

/** What a check may use: read-only statements with a timeout, and a signal that ends the check. */
export interface Look {
  readonly sql: Sql;
  readonly signal: AbortSignal;
}

/** One question about the service, and how to repair what it finds. */
export interface Check {
  /** Stable; lower case with hyphens. */
  readonly name: string;
  /** What is stuck, if it finds anything. */
  readonly title: string;
  /** What `repair` does or, without `repair`, what a person has to do. */
  readonly remedy: string;
  find(look: Look): Promise<Findings>;
  /** Moves money only as the service's own next chore would. @returns how much it did */
  repair?(look: Look): Promise<number>;
}

export const NOTHING: Findings = { count: 0, rows: [] };

/** Limits the findings to those that are shown. */
export function found(all: readonly Finding[], note?: string): Findings {
  const oldestFirst = all.toSorted((a, b) => (a.since?.getTime() ?? Infinity) - (b.since?.getTime() ?? Infinity));
  return { count: all.length, rows: oldestFirst.slice(0, MAX_ROWS), ...(note && { note }) };
}

interface FoundRow {
  readonly subject: string;
  readonly since: string | null;
  readonly why: string;
  readonly total: string;
}

/** A check that is a single statement. @param check.text selects `subject, since, why` */
export function rowsCheck(check: Omit<Check, 'find'> & { readonly text: string }): Check {
  const { text, ...rest } = check;
  const wanted = statement<NoParams, FoundRow>(
    `doctor-${check.name}`,
    `
      select subject, since, why, count(*) over () as total from (${text}) found (subject, since, why)
      order by since nulls last, subject limit ${MAX_ROWS}`,
  );
  return {
    ...rest,
    async find({ sql }) {
      const rows = await execute(sql, wanted);
      return {
        count: Number(rows[0]?.total ?? 0),
        rows: rows.map(({ subject, since, why }) => ({ subject, since: since === null ? null : new Date(since), why })),
      };
    },
  };
}
