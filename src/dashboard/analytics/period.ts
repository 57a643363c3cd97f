import { daysBack, today } from '../lib/utcDays.js';

/** Days (UTC), both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** An hour, day or month per bar. */
export type Unit = 'HOUR' | 'DAY' | 'MONTH';

export const PERIODS = [7, 30, 90, 365] as const;
export const USUAL_DAYS = 30;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MS_PER_DAY = 86_400_000;
/** Bars of more days than this would be too thin. */
const MOST_DAY_BARS = 100;

/** The address names the period: `days=7`, or `from=2026-03-01&to=2026-03-31`. */
export function periodIn(parameters: URLSearchParams): Period & { readonly days: number | null } {
  const [from, to] = [dayIn(parameters, 'from'), dayIn(parameters, 'to')];
  if (from && to && from <= to) return { from, to, days: null };
  const given = Number(parameters.get('days'));
  const days = PERIODS.find((one) => one === given) ?? USUAL_DAYS;
  return { from: daysBack(days - 1), to: today(), days };
}

/** How the bars of a period are spaced. */
export function unitOf({ from, to }: Period): Unit {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / MS_PER_DAY) + 1;
  if (days <= 2) return 'HOUR';
  return days <= MOST_DAY_BARS ? 'DAY' : 'MONTH';
}

function dayIn(parameters: URLSearchParams, name: string): string | null {
  const day = parameters.get(name) ?? '';
  return DAY.test(day) && !Number.isNaN(Date.parse(day)) ? day : null;
}
