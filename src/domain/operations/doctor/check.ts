import { type NoParams, execute, type Sql, statement } from '../../../db/sql.js';

/** Of each check, so many are named; the rest is counted. */
export const MAX_ROWS = 20;

/** One thing that is stuck. */
export interface Finding {
  /** Where: a row's key, a file, an object. */
  readonly subject: string;
  /** `null` where nothing tells. */
  readonly since: Date | null;
  /** Why it counts as stuck, in words for whoever runs the service. */
  readonly why: string;
}

export interface Findings {
  readonly count: number;
  /** The oldest, at most {@link MAX_ROWS}. */
  readonly rows: readonly Finding[];
  /** What limits the answer, such as a walk that was cut short. */
  readonly note?: string;
}

/** What a check may look with: statements that only read and give up after a while, and for how long. */
export interface Look {
  readonly sql: Sql;
  readonly signal: AbortSignal;
}

/** One question to the service, and what mends a bad answer. */
export interface Check {
  /** Stable; lower case with hyphens. */
  readonly name: string;
  /** What is stuck, should it find anything. */
  readonly title: string;
  /** What `repair` does; without one, what a person has to do. */
  readonly remedy: string;
  find(look: Look): Promise<Findings>;
  /** Never moves money but as the service itself would at its next chore. @returns how much it did. */
  repair?(look: Look): Promise<number>;
}

export const NOTHING: Findings = { count: 0, rows: [] };

/** Of all that was found, what is shown. */
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

/** A check that is one statement. @param check.text selects `subject, since, why`. */
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
