import { words } from '#words/analytics.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton, Title } from '@mantine/core';
import { Link } from 'react-router';
import { AnalyticsDocument } from '../generated/graphql.js';
import { showNumber } from '../lib/format.js';
import { daysBack, today } from '../lib/utcDays.js';
import { ErrorState } from '../parts/States.js';
import classes from './Analytics.module.css';
import { FigureList } from './Figures.js';
import { RetentionChart } from './RetentionChart.js';
import { showRatio, showTime } from './show.js';

const DAYS = 30;

interface Props {
  readonly videoId: string;
  readonly durationSeconds: number | null;
}

/** How one video was watched lately, on its page. */
export default function VideoAnalytics({ videoId, durationSeconds }: Props) {
  const input = { from: daysBack(DAYS - 1), to: today(), videoId, granularity: 'DAY' } as const;
  const { data, error, refetch } = useQuery(AnalyticsDocument, { variables: { input } });
  const { totals, retention } = data?.analytics ?? {};
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="video-analytics">
      <div className={classes['cardHead']}>
        <div>
          <Title order={2} id="video-analytics">
            {words.title}
          </Title>
          <p className={classes['note']}>{words.video.last30Days}</p>
        </div>
        <Button
          component={Link}
          to={`/analytics?${String(new URLSearchParams({ video: videoId }))}`}
          size="xs"
          variant="default"
        >
          {words.video.more}
        </Button>
      </div>
      {/* As high before the figures are known and without views: nothing below moves. */}
      <div className={classes['figuresOfVideo']}>
        {!totals && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
        {!totals && !error ? (
          <Skeleton height="100%" role="status" aria-busy="true" aria-label={words.loading} />
        ) : null}
        {totals?.views === 0 ? <p className={classes['noViews']}>{words.video.none}</p> : null}
        {totals && totals.views > 0 ? (
          <FigureList
            figures={[
              { label: words.totals.views, text: showNumber(totals.views) },
              { label: words.totals.watchTime, text: showTime(totals.watchedMs) },
              { label: words.totals.average, text: showRatio(totals.averageWatchedShare) },
              { label: words.totals.completion, text: showRatio(totals.completionRate) },
            ]}
          />
        ) : null}
        {totals && retention && totals.plays > 0 ? (
          <RetentionChart counts={retention} plays={totals.plays} durationSeconds={durationSeconds} heightPx={130} />
        ) : null}
      </div>
    </section>
  );
}
