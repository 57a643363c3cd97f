import { useMutation, useQuery } from '@apollo/client/react';
import { Skeleton, Switch, Title } from '@mantine/core';
import { useViewer } from '../../app/viewer.js';
import { BarChart } from '../../charts/BarChart.js';
import type { Bar, Series } from '../../charts/chartTypes.js';
import {
  SetStorageRuleDocument,
  StorageHistoryDocument,
  type StorageFactsFragment,
  type StorageHistoryQuery,
} from '../../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../../lib/credits.js';
import { showBytes } from '../../lib/format.js';
import { ErrorState, FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import walletClasses from '../WalletPage.module.css';
import { axisDay, lastDays, nameDay, today } from '../../lib/utcDays.js';
import classes from './StorageCard.module.css';

const DAYS = 60;
/** Beyond, years are easier to picture. */
const COUNTED_DAYS = 400;
const SERIES: readonly Series[] = [{ label: 'Stored', tone: 'sand' }];
type Day = StorageHistoryQuery['storage']['history'][number];

/** What lies in storage, what that costs a day, how long it is paid for, and how that came about. */
export function StorageCard({ storage }: { storage: StorageFactsFragment }) {
  const days = lastDays(DAYS);
  const { data, error, refetch } = useQuery(StorageHistoryDocument, {
    variables: { from: days[0] ?? today(), to: today() },
  });
  const history = data?.storage.history;

  return (
    <section className={`panel ${walletClasses['card']}`} aria-labelledby="storage-title">
      <div>
        <Title order={2} id="storage-title">
          Storage
        </Title>
        <p className={walletClasses['note']}>Storage is billed nightly from Cloud.</p>
      </div>
      <dl className={`${classes['facts']} num`}>
        <Fact name="Stored now" value={showBytes(storage.bytes)} />
        <Fact name="Cost per day" value={`${showCredits(storage.creditsPerDay)} credits`} />
        <Fact name="Funded for" value={daysOf(storage.runwayDays)} />
      </dl>
      <AutoAllocate storage={storage} />
      {history ? <Arrears history={history} /> : null}
      {error && !data ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton height={180} role="status" aria-busy="true" aria-label="Loading the chart" /> : null}
      {history?.length === 0 ? (
        <p className={classes['none']}>
          Nothing was charged in the last {DAYS} days. The first bar appears the night after the first upload.
        </p>
      ) : null}
      {history && history.length > 0 ? (
        <BarChart
          label={`Bytes stored at the end of each of the last ${DAYS} days, and what they cost`}
          unit="Day"
          bars={days.slice(0, -1).map((day) => barOf(day, history))}
          series={SERIES}
          totalLabel="Charged"
          tick={showBytes}
          heightPx={130}
        />
      ) : null}
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function daysOf(runwayDays: number | null): string {
  if (runwayDays === null) return '–';
  if (runwayDays > COUNTED_DAYS) {
    const years = Math.floor(runwayDays / 365);
    return years < 100 ? `${years} years` : 'over 100 years';
  }
  return runwayDays === 1 ? '1 day' : `${runwayDays} days`;
}

function AutoAllocate({ storage }: { storage: StorageFactsFragment }) {
  const { account } = useViewer();
  const [setRule] = useMutation(SetStorageRuleDocument);
  const { run, busy, error } = useAction(async (autoAllocate: boolean) => setRule({ variables: { autoAllocate } }));
  return (
    <>
      <Switch
        label="Let Master pay when Cloud runs out"
        description="If this is off, what Cloud can’t pay becomes debt, and new jobs wait until it is paid."
        checked={storage.autoAllocate}
        disabled={busy || account.suspended}
        onChange={(event) => void run(event.currentTarget.checked)}
      />
      <FormError error={error} />
    </>
  );
}

/** Nights that could not be paid: what that means, and what became of it. */
function Arrears({ history }: { history: readonly Day[] }) {
  const unpaid = history.filter(({ arrears }) => microsOf(arrears) > 0n);
  if (unpaid.length === 0) return null;
  const sum = unpaid.reduce((total, { arrears }) => total + microsOf(arrears), 0n);
  return (
    <p className={`${classes['arrears']} num`}>
      On {unpaid.length === 1 ? 'one day' : `${unpaid.length} days`} Cloud was too small: {showCredits(toCredits(sum))}{' '}
      credits became debt, most recently on {nameDay(unpaid.at(-1)?.day ?? '')}. Videos are not touched by that; new
      jobs wait until the debt is paid.
    </p>
  );
}

function barOf(day: string, history: readonly Day[]): Bar {
  const found = history.find((one) => one.day === day);
  return {
    key: day,
    label: nameDay(day),
    axis: axisDay(day),
    parts: [{ value: found?.bytes ?? 0, text: showBytes(found?.bytes ?? 0) }],
    total: showCredits(found?.charged ?? '0'),
  };
}
