import { words } from '#words/analytics.js';
import { SegmentedControl, Title } from '@mantine/core';
import { useState } from 'react';
import { BarChart } from '../charts/BarChart.js';
import type { Bar } from '../charts/chartTypes.js';
import type { AnalyticsQuery } from '../generated/graphql.js';
import { showCompact, showNumber } from '../lib/format.js';
import { axisDay, axisMonth, nameDay, nameMonth } from '../lib/utcDays.js';
import classes from './Analytics.module.css';
import type { Unit } from './period.js';
import { axisTime, showTime } from './show.js';

type Point = AnalyticsQuery['analytics']['series'][number];
type Metric = 'views' | 'uniqueViews' | 'watchedMs';

const METRICS: readonly { value: Metric; label: string }[] = [
  { value: 'views', label: words.chart.views },
  { value: 'uniqueViews', label: words.chart.uniqueViews },
  { value: 'watchedMs', label: words.chart.watchTime },
];
const LABELS = {
  HOUR: { title: words.chart.perHour, unit: words.chart.hour },
  DAY: { title: words.chart.perDay, unit: words.chart.day },
  MONTH: { title: words.chart.perMonth, unit: words.chart.month },
} as const;

/** One number over time. */
export function ViewsCard({ series, unit }: { series: readonly Point[]; unit: Unit }) {
  const [metric, setMetric] = useState<Metric>('views');
  const label = METRICS.find(({ value }) => value === metric)?.label ?? '';
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="over-time">
      <div className={classes['cardHead']}>
        <Title order={2} id="over-time" size="h3">
          {LABELS[unit].title(label)}
        </Title>
        <SegmentedControl
          aria-label={words.chart.metric}
          size="xs"
          data={[...METRICS]}
          value={metric}
          onChange={(value) => setMetric(value)}
        />
      </div>
      <BarChart
        label={LABELS[unit].title(label)}
        unit={LABELS[unit].unit}
        bars={barsOf(series, unit, metric)}
        series={[{ label, tone: 'stream' }]}
        tick={metric === 'watchedMs' ? axisTime : showCompact}
      />
    </section>
  );
}

function barsOf(series: readonly Point[], unit: Unit, metric: Metric): Bar[] {
  const sums = new Map<string, number>();
  for (const { startsAt, figures } of series) {
    const start = unit === 'MONTH' ? `${startsAt.slice(0, 7)}-01` : startsAt;
    sums.set(start, (sums.get(start) ?? 0) + figures[metric]);
  }
  return [...sums].map(([start, value]) => ({
    key: start,
    ...NAMES[unit](start),
    parts: [{ value, text: metric === 'watchedMs' ? showTime(value) : showNumber(value) }],
  }));
}

const hourOf = (start: string): string => `${start.slice(11, 13)}:00`;

const NAMES: Readonly<Record<Unit, (start: string) => { label: string; axis: string }>> = {
  HOUR: (start) => ({ label: `${nameDay(start)}, ${hourOf(start)}`, axis: hourOf(start) }),
  DAY: (start) => ({ label: nameDay(start), axis: axisDay(start) }),
  MONTH: (start) => ({ label: nameMonth(start), axis: axisMonth(start) }),
};
