import { words } from '#words/analytics.js';
import type { AnalyticsTotalsFragment } from '../generated/graphql.js';
import { showNumber } from '../lib/format.js';
import { Figures } from './Figures.js';
import { showRatio, showTime } from './show.js';

/** How much was watched. */
export function Totals({ totals }: { totals: AnalyticsTotalsFragment }) {
  const { views, uniqueViews, plays, watchedMs, averageWatchedShare, completionRate, completions } = totals;
  return (
    <Figures
      title={words.totals.title}
      figures={[
        { label: words.totals.views, text: showNumber(views), note: words.totals.plays(plays) },
        { label: words.totals.uniqueViews, text: showNumber(uniqueViews), note: words.totals.uniqueViewsNote },
        {
          label: words.totals.watchTime,
          text: showTime(watchedMs),
          note: plays > 0 ? words.totals.perPlay(showTime(watchedMs / plays)) : undefined,
        },
        { label: words.totals.average, text: showRatio(averageWatchedShare), note: words.totals.averageNote },
        {
          label: words.totals.completion,
          text: showRatio(completionRate),
          note: words.totals.completions(completions),
        },
      ]}
    />
  );
}
