import { words } from '#words/analytics.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { MODE_PARAMETERS } from '../session/mode.js';
import { AnalyticsDocument, type AnalyticsTotalsFragment } from '../generated/graphql.js';
import { DownloadButton } from '../parts/DownloadButton.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, ErrorState } from '../parts/States.js';
import classes from './Analytics.module.css';
import { AnalyticsFilters } from './AnalyticsFilters.js';
import { BreakdownCard } from './BreakdownCard.js';
import { periodIn, unitOf, USUAL_DAYS } from './period.js';
import { RetentionCard } from './RetentionCard.js';
import { ViewsCard } from './ViewsCard.js';
import { showNumber } from '../lib/format.js';
import { Figures } from './Figures.js';
import { showRatio, showStartup, showTime } from './show.js';

/** How the videos are watched. Period and video are in the address, so that a view can be shared. */
export default function AnalyticsPage() {
  const [parameters, setParameters] = useSearchParams();
  const period = periodIn(parameters);
  const { from, to } = period;
  const videoId = parameters.get('video') ?? '';
  const isUsual = period.days === USUAL_DAYS && videoId === '';
  const unit = unitOf(period);
  const input = { from, to, videoId: videoId || null, granularity: unit === 'HOUR' ? unit : 'DAY' } as const;
  const { data, error, refetch } = useQuery(AnalyticsDocument, { variables: { input } });
  const analytics = data?.analytics;

  return (
    <>
      <PageHead title={words.title} note={words.note}>
        <Button component={Link} to="/docs/analytics" variant="default">
          {words.reference}
        </Button>
        <DownloadButton
          href={csvAddress(from, to, videoId)}
          variant="default"
          leftSection={<Icon name="download" size={17} />}
        >
          {words.downloadCsv}
        </DownloadButton>
      </PageHead>
      <AnalyticsFilters period={period} videoId={videoId} onChange={(next) => setParameters(next, { replace: true })} />
      {!analytics && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!analytics && !error ? <Loading /> : null}
      {analytics?.totals.views === 0 ? (
        <section className="panel">
          <EmptyState
            icon="analytics"
            title={words.none}
            advice={isUsual ? words.noneAdvice : words.noneAdviceFiltered}
          >
            {isUsual ? null : (
              <Button variant="default" onClick={() => setParameters({}, { replace: true })}>
                {words.showAll}
              </Button>
            )}
          </EmptyState>
        </section>
      ) : null}
      {analytics && analytics.totals.views > 0 ? (
        <div className={classes['stack']}>
          <Totals totals={analytics.totals} />
          <ViewsCard series={analytics.series} unit={unit} />
          {analytics.retention ? (
            <RetentionCard videoId={videoId} counts={analytics.retention} plays={analytics.totals.plays} />
          ) : null}
          <QualityCard totals={analytics.totals} />
          <BreakdownCard key={videoId} input={input} />
        </div>
      ) : null}
    </>
  );
}

function csvAddress(from: string, to: string, videoId: string): string {
  const parameters = new URLSearchParams({ from, to, ...(videoId ? { videoId } : {}), ...MODE_PARAMETERS });
  return `/documents/analytics.csv?${String(parameters)}`;
}

function Loading() {
  return (
    <div className={classes['stack']} role="status" aria-busy="true" aria-label={words.loading}>
      <Skeleton height={96} radius="lg" />
      <Skeleton height={300} radius="lg" />
      <Skeleton height={130} radius="lg" />
      <Skeleton height={220} radius="lg" />
    </div>
  );
}

/** How well the videos played. */
function QualityCard({ totals }: { totals: AnalyticsTotalsFragment }) {
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

/** How much was watched. */
function Totals({ totals }: { totals: AnalyticsTotalsFragment }) {
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
