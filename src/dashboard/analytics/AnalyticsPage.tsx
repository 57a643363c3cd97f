import { words } from '#words/analytics.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { MODE_PARAMETERS } from '../app/mode.js';
import { AnalyticsDocument } from '../generated/graphql.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, ErrorState } from '../parts/States.js';
import classes from './Analytics.module.css';
import { AnalyticsFilters } from './AnalyticsFilters.js';
import { BreakdownCard } from './BreakdownCard.js';
import { periodIn, unitOf } from './period.js';
import { QualityCard } from './QualityCard.js';
import { RetentionCard } from './RetentionCard.js';
import { Totals } from './Totals.js';
import { ViewsCard } from './ViewsCard.js';

/** How the videos are watched. Period and video are in the address, so that a view can be shared. */
export default function AnalyticsPage() {
  const [parameters, setParameters] = useSearchParams();
  const period = periodIn(parameters);
  const { from, to } = period;
  const videoId = parameters.get('video') ?? '';
  const unit = unitOf(period);
  const input = { from, to, videoId: videoId || null, granularity: unit === 'HOUR' ? unit : 'DAY' } as const;
  const { data, error, refetch } = useQuery(AnalyticsDocument, { variables: { input } });
  const analytics = data?.analytics;

  return (
    <>
      <PageHead title={words.title} note={words.note}>
        <Button component={Link} to="/docs/analytics" size="xs" variant="default">
          {words.reference}
        </Button>
        <Button
          component="a"
          href={csvAddress(from, to, videoId)}
          download
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={15} />}
        >
          {words.downloadCsv}
        </Button>
      </PageHead>
      <AnalyticsFilters period={period} videoId={videoId} onChange={(next) => setParameters(next, { replace: true })} />
      {!analytics && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!analytics && !error ? <Loading /> : null}
      {analytics?.totals.views === 0 ? (
        <section className="panel">
          <EmptyState icon="analytics" title={words.none} advice={words.noneAdvice}>
            <Button variant="default" onClick={() => setParameters({}, { replace: true })}>
              {words.showAll}
            </Button>
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
