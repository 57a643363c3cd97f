import { type Database, execute, type Sql } from '../../../db/sql.js';
import {
  BUILT_MONTHS,
  CLEAR_MONTH,
  DUE_MONTHS,
  LOCK_MONTH,
  MARK_MONTH_BUILT,
  SUM_MONTH,
  UNHURRIED,
} from './months.sql.js';
import type { Stretches } from './questions.sql.js';
import { ALL_VIDEOS } from './rollups.js';

const BATCH = 100;

/**
 * Builds the months that are due, each in its own transaction. One that fails does not hold up the others: its days
 * are still read.
 *
 * @returns how many
 * @throws the first failure, after all others are built
 */
export async function buildDueMonths(db: Database, signal?: AbortSignal): Promise<number> {
  const failures: unknown[] = [];
  let built = 0;
  let last = { account_id: ALL_VIDEOS, at: 0 };
  for (;;) {
    const due = await execute(db.sql, DUE_MONTHS, { afterAt: last.at, afterAccount: last.account_id, most: BATCH });
    for (const month of due) {
      signal?.throwIfAborted();
      await buildMonth(db, month.account_id, month.at).then(
        () => (built += 1),
        (error: unknown) => failures.push(error),
      );
    }
    if (due.length < BATCH) break;
    last = due.at(-1)!;
  }
  if (failures.length > 0) throw failures[0];
  return built;
}

/** Each statement sees what was committed before it began, so the sums have the days of all writers that came before. */
async function buildMonth(db: Database, accountId: string, at: number): Promise<void> {
  await db.transaction(async ({ sql }) => {
    await execute(sql, UNHURRIED);
    await execute(sql, LOCK_MONTH, { at });
    await execute(sql, CLEAR_MONTH, { accountId, at });
    await execute(sql, SUM_MONTH, { accountId, at });
    await execute(sql, MARK_MONTH_BUILT, { accountId, at });
  });
}

/**
 * Divides a period into the longest run of whole months that are built, and the days around it. All in epoch seconds,
 * `until` excluded.
 */
export async function stretchesOf(
  sql: Sql,
  accountId: string,
  { from, until }: { from: number; until: number },
): Promise<Stretches> {
  const months = wholeMonths(from, until);
  const built = months.length === 0 ? [] : await execute(sql, BUILT_MONTHS, { accountId, months });
  let longest = { monthsFrom: until, monthsUntil: until, count: 0 };
  let run = longest;
  for (const { at } of built) {
    const begins = run.count > 0 && run.monthsUntil === at ? run : { monthsFrom: at, count: 0 };
    run = { monthsFrom: begins.monthsFrom, monthsUntil: nextMonth(at), count: begins.count + 1 };
    if (run.count > longest.count) longest = run;
  }
  return { from, monthsFrom: longest.monthsFrom, monthsUntil: longest.monthsUntil, until };
}

function wholeMonths(from: number, until: number): number[] {
  const first = monthOf(from);
  const months: number[] = [];
  for (let at = first === from ? first : nextMonth(first); nextMonth(at) <= until; at = nextMonth(at)) months.push(at);
  return months;
}

function monthOf(epochSeconds: number): number {
  return new Date(epochSeconds * 1_000).setUTCDate(1) / 1_000;
}

/** @param at when a month begins */
function nextMonth(at: number): number {
  const date = new Date(at * 1_000);
  return date.setUTCMonth(date.getUTCMonth() + 1) / 1_000;
}
