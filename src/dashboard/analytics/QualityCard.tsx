import { words } from '#words/analytics.js';
import type { AnalyticsTotalsFragment } from '../generated/graphql.js';
import { showNumber } from '../lib/format.js';
import { Figures } from './Figures.js';
import { showRatio, showStartup } from './show.js';

/** How well the videos played. */
export function QualityCard({ totals }: { totals: AnalyticsTotalsFragment }) {
  const { startupP50Ms, startupP95Ms, rebufferRatio, stalls, renditionSwitches, exitsBeforeStart } = totals;
  const { exitBeforeStartRate, errors } = totals;
  const { quality } = words;
  return (
    <Figures
      title={quality.title}
      figures={[
        { label: quality.startup, text: showStartup(startupP50Ms), note: quality.startupNote },
        { label: quality.startupP95, text: showStartup(startupP95Ms), note: quality.startupP95Note },
        { label: quality.rebuffering, text: showRatio(rebufferRatio), note: quality.stalls(stalls) },
        { label: quality.switches, text: showNumber(renditionSwitches), note: quality.switchesNote },
        {
          label: quality.exits,
          text: showNumber(exitsBeforeStart),
          note: exitBeforeStartRate === null ? undefined : quality.exitsShare(showRatio(exitBeforeStartRate)),
        },
        { label: quality.errors, text: showNumber(errors), note: quality.errorsNote },
      ]}
    />
  );
}
