import { words } from '#words/keys.js';
import { showNumber } from '../lib/format.js';
import { axisDay, nameDay } from '../lib/utcDays.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton, Text } from '@mantine/core';
import { BarChart } from '../charts/BarChart.js';
import type { Bar } from '../charts/chartTypes.js';
import { ApiKeyUsageDocument, type ApiKeyFieldsFragment, type ApiKeyUsageQuery } from '../generated/graphql.js';
import { ErrorState } from '../parts/States.js';

const DAYS = 30;
const DAY_MS = 86_400_000;

type Day = ApiKeyUsageQuery['apiKeys'][number]['usage'][number];

/** Playback tokens per day (UTC) over thirty days, with each day's quota as a line. */
export function UsageChart({ apiKey }: { apiKey: ApiKeyFieldsFragment }) {
  // One response for all cards: requested once, read from the cache by the others.
  const { data, error, refetch } = useQuery(ApiKeyUsageDocument, { variables: { days: DAYS } });
  const usage = data?.apiKeys.find(({ id }) => id === apiKey.id)?.usage;

  if (!usage) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={160} role="status" aria-busy="true" aria-label={words.chart.loading} />
    );
  }
  const sum = usage.reduce((all, { used }) => all + used, 0);
  return (
    <>
      <Text size="sm" c="dimmed" className="num">
        {sum === 0 ? words.chart.none : words.chart.sum(sum)}
      </Text>
      {sum === 0 ? null : (
        <BarChart
          label={words.chart.label(apiKey.name)}
          unit={words.chart.day}
          series={[{ label: words.chart.tokens, tone: 'stream' }]}
          markLabel={words.chart.quota}
          bars={barsOf(usage, apiKey)}
          tick={showNumber}
          heightPx={150}
        />
      )}
    </>
  );
}

/** Every day has a bar, even those without tokens, which the service leaves out. */
function barsOf(usage: readonly Day[], { usedToday, dailyQuota }: ApiKeyFieldsFragment): Bar[] {
  const now = new Date();
  const byDay = new Map(usage.map((day) => [day.day, day]));
  const today = now.toISOString().slice(0, 10);
  return Array.from({ length: DAYS }, (_, index) => {
    const date = new Date(now.getTime() - (DAYS - 1 - index) * DAY_MS);
    const day = date.toISOString().slice(0, 10);
    const known = byDay.get(day);
    const used = day === today ? Math.max(usedToday, known?.used ?? 0) : (known?.used ?? 0);
    const text = showNumber(used);
    const quota = known?.dailyQuota ?? (day === today ? dailyQuota : undefined);
    return {
      key: day,
      label: nameDay(day),
      axis: axisDay(day),
      parts: [{ value: used, text }],
      total: text,
      // Draw the line only where it helps: a quota far above the use would flatten every bar.
      ...(quota !== undefined && quota <= used * 4 ? { mark: { value: quota, text: showNumber(quota) } } : {}),
    };
  });
}
