import { BYTE_ORDER_MARK, csvRecord } from '../../shared/csv.js';
import type { Analytics, AnalyticsQuestion, Figures } from './analytics.service.js';

const FIGURES = [
  'views',
  'uniqueViews',
  'reportedViews',
  'plays',
  'completions',
  'completionRate',
  'watchedMs',
  'averageWatchedShare',
  'exitsBeforeStart',
  'exitBeforeStartRate',
  'startupP50Ms',
  'startupP95Ms',
  'stalls',
  'stalledMs',
  'rebufferRatio',
  'renditionSwitches',
  'errors',
] as const satisfies readonly (keyof Figures)[];

/**
 * The answer to a question as CSV, with the names that GraphQL uses. Without a dimension there is one record per hour or
 * day; with one, one record per value. What is unknown is empty.
 */
export function analyticsCsv({ dimension }: AnalyticsQuestion, { series, breakdown }: Analytics): string {
  const records: (readonly [string, Figures])[] =
    breakdown === null
      ? series.map(({ startsAt, figures }) => [startsAt.toISOString(), figures])
      : breakdown.map(({ value, figures }) => [value ?? '', figures]);
  return (
    BYTE_ORDER_MARK +
    csvRecord([dimension ?? 'startsAt', ...FIGURES]) +
    records.map(([name, figures]) => csvRecord([name, ...FIGURES.map((figure) => numberOf(figures[figure]))])).join('')
  );
}

/** Shares have at most six digits after the point. */
function numberOf(value: number | null): string {
  return value === null ? '' : String(Math.round(value * 1e6) / 1e6);
}
