import { words } from '#words/analytics.js';
import { useQuery } from '@apollo/client/react';
import { Anchor, NativeSelect, Skeleton, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import {
  AnalyticsBreakdownDocument,
  KeyNamesDocument,
  TopVideosDocument,
  type AnalyticsDimension,
  type AnalyticsInput,
  type AnalyticsLineFragment,
} from '../generated/graphql.js';
import { LOCALE } from '../lib/dateLanguage.js';
import { showNumber } from '../lib/format.js';
import { ErrorState } from '../parts/States.js';
import classes from './Analytics.module.css';
import { showRatio, showTime } from './show.js';

type By = 'VIDEO' | AnalyticsDimension;

const MOST_VIDEOS = 20;
const NAMES: Readonly<Record<By, string>> = {
  VIDEO: words.breakdown.video,
  COUNTRY: words.breakdown.country,
  BROWSER: words.breakdown.browser,
  DEVICE: words.breakdown.device,
  KEY: words.breakdown.key,
};
const COUNTRIES = new Intl.DisplayNames(LOCALE, { type: 'region', fallback: 'code' });

/** The views of a period by video, country, browser, device or API key. */
export function BreakdownCard({ input }: { input: AnalyticsInput }) {
  const choices: By[] = input.videoId
    ? ['COUNTRY', 'BROWSER', 'DEVICE', 'KEY']
    : ['VIDEO', 'COUNTRY', 'BROWSER', 'DEVICE', 'KEY'];
  const [by, setBy] = useState<By>(choices[0]!);
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="breakdown">
      <div className={classes['cardHead']}>
        <Title order={2} id="breakdown" size="h3">
          {words.breakdown.title}
        </Title>
        <NativeSelect
          aria-label={words.breakdown.by}
          size="xs"
          data={choices.map((value) => ({ value, label: NAMES[value] }))}
          value={by}
          onChange={(event) => setBy(event.currentTarget.value as By)}
        />
      </div>
      {by === 'VIDEO' ? <ByVideo input={input} /> : <ByDimension key={by} by={by} input={input} />}
    </section>
  );
}

function ByVideo({ input: { from, to } }: { input: AnalyticsInput }) {
  const { data, error, refetch } = useQuery(TopVideosDocument, {
    variables: { input: { from, to, first: MOST_VIDEOS } },
  });
  if (!data) return <NotYet error={error} onRetry={() => void refetch()} />;
  const lines = data.topVideos.map(({ videoId, title, figures }) => ({
    key: videoId,
    figures,
    name:
      title === null ? (
        words.breakdown.deletedVideo
      ) : (
        <Anchor component={Link} to={`?${String(new URLSearchParams({ from, to, video: videoId }))}`} inherit>
          {title}
        </Anchor>
      ),
  }));
  return <Lines head={NAMES.VIDEO} lines={lines} />;
}

function ByDimension({ by, input }: { by: AnalyticsDimension; input: AnalyticsInput }) {
  const { data, error, refetch } = useQuery(AnalyticsBreakdownDocument, {
    variables: { input: { ...input, dimension: by } },
  });
  const keys = useQuery(KeyNamesDocument, { skip: by !== 'KEY' });
  const breakdown = data?.analytics.breakdown;
  if (!breakdown || (by === 'KEY' && keys.loading)) return <NotYet error={error} onRetry={() => void refetch()} />;

  function nameOf(value: string | null): string {
    if (value === null) return words.breakdown.unknown;
    if (by === 'COUNTRY') return countryOf(value);
    if (by === 'KEY') return keys.data?.apiKeys.find(({ id }) => id === value)?.name ?? words.breakdown.deletedKey;
    return value;
  }
  const isWithoutCountries = by === 'COUNTRY' && breakdown.every(({ value }) => value === null);
  const lines = breakdown.map(({ value, figures }) => ({ key: value ?? '', name: nameOf(value), figures }));
  return (
    <>
      <Lines head={NAMES[by]} lines={lines} />
      {isWithoutCountries ? <p className={classes['note']}>{words.breakdown.noCountry}</p> : null}
    </>
  );
}

function countryOf(code: string): string {
  try {
    return COUNTRIES.of(code) ?? code;
  } catch {
    // What a proxy sends need not be a country.
    return code;
  }
}

interface Line {
  readonly key: string;
  readonly name: ReactNode;
  readonly figures: AnalyticsLineFragment;
}

function Lines({ head, lines }: { head: string; lines: readonly Line[] }) {
  if (lines.length === 0) return <p className={classes['note']}>{words.breakdown.none}</p>;
  const most = Math.max(...lines.map(({ figures }) => figures.views), 1);
  return (
    <table className={`${classes['lines']} num`} aria-labelledby="breakdown">
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <th scope="col">{words.breakdown.views}</th>
          <th scope="col">{words.breakdown.uniqueViews}</th>
          <th scope="col">{words.breakdown.watchTime}</th>
          <th scope="col">{words.breakdown.completion}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ key, name, figures: { views, uniqueViews, watchedMs, completionRate } }) => (
          <tr key={key}>
            <th scope="row">
              {name}
              <span className={classes['share']} aria-hidden="true">
                <span style={{ width: `${(views / most) * 100}%` }} />
              </span>
            </th>
            <td>{showNumber(views)}</td>
            <td>{showNumber(uniqueViews)}</td>
            <td>{showTime(watchedMs)}</td>
            <td>{showRatio(completionRate)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NotYet({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return error ? (
    <ErrorState error={error} onRetry={onRetry} />
  ) : (
    <Skeleton height={160} role="status" aria-busy="true" aria-label={words.breakdown.loading} />
  );
}
