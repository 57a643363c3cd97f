import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { SegmentedControl, Skeleton, Title } from '@mantine/core';
import { useState } from 'react';
import { BarChart } from '../../charts/BarChart.js';
import type { Bar, Series } from '../../charts/chartTypes.js';
import { SpendingDocument, type SpendingQuery, type SpendingUnit } from '../../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../../lib/credits.js';
import { showCompact } from '../../lib/format.js';
import { ErrorState } from '../../parts/States.js';
import walletClasses from '../WalletPage.module.css';
import { axisDay, axisMonth, lastDays, lastMonths, nameDay, nameMonth, today } from '../../lib/utcDays.js';

const SERIES: readonly Series[] = [
  { label: words.spendingCard.processing, tone: 'stream' },
  { label: words.spendingCard.storage, tone: 'sand' },
];
const UNITS: readonly { value: SpendingUnit; label: string }[] = [
  { value: 'DAY', label: words.spendingCard.n30Days },
  { value: 'MONTH', label: words.spendingCard.n12Months },
];

type Period = SpendingQuery['spending'][number];

/** Spending by purpose, per day or per month. */
export function SpendingCard() {
  const [by, setBy] = useState<SpendingUnit>('DAY');
  const starts = by === 'DAY' ? lastDays(30) : lastMonths(12);
  const { data, previousData, error, refetch } = useQuery(SpendingDocument, {
    variables: { from: starts[0] ?? today(), to: today(), by },
  });
  const periods = (data ?? previousData)?.spending;
  const bars = data ? starts.map((start) => barOf(start, by, data.spending)) : [];
  const sum = toCredits(periods?.reduce((total, period) => total + spentIn(period), 0n) ?? 0n);

  return (
    <section className={`panel ${walletClasses['card']}`} aria-labelledby="spending-title">
      <div className={walletClasses['cardHead']}>
        <div>
          <Title order={2} id="spending-title">
            {words.spendingCard.spending}
          </Title>
          <p className={`${walletClasses['note']} num`}>
            {periods ? words.spendingCard.total(showCredits(sum), by) : ' '} {words.spendingCard.utc}
          </p>
        </div>
        <SegmentedControl
          aria-label={words.spendingCard.period}
          size="xs"
          data={[...UNITS]}
          value={by}
          onChange={(value) => setBy(value)}
        />
      </div>
      {error && !periods ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? (
        <Skeleton height={242} role="status" aria-busy="true" aria-label={words.spendingCard.loadingChart} />
      ) : null}
      {data ? (
        <BarChart
          label={by === 'DAY' ? words.spendingCard.creditsSpentPerDay : words.spendingCard.creditsSpentPerMonth}
          unit={by === 'DAY' ? words.spendingCard.day : words.spendingCard.month}
          bars={bars}
          series={SERIES}
          tick={showCompact}
        />
      ) : null}
    </section>
  );
}

function spentIn({ processing, storage }: Period): bigint {
  return microsOf(processing) + microsOf(storage);
}

function barOf(start: string, by: SpendingUnit, periods: readonly Period[]): Bar {
  const period = periods.find((one) => one.start === start) ?? { start, processing: '0', storage: '0' };
  return {
    key: start,
    label: by === 'DAY' ? nameDay(start) : nameMonth(start),
    axis: by === 'DAY' ? axisDay(start) : axisMonth(start),
    parts: [period.processing, period.storage].map((credits) => ({
      value: Number(credits),
      text: showCredits(credits),
    })),
    total: showCredits(toCredits(spentIn(period))),
  };
}
