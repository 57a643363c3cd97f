import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton, Title } from '@mantine/core';
import { BarChart } from '../../charts/BarChart.js';
import type { Bar, Series } from '../../charts/chartTypes.js';
import {
  StorageHistoryDocument,
  type StorageFactsFragment,
  type StorageHistoryQuery,
  type WalletBalancesFragment,
} from '../../generated/graphql.js';
import { microsOf, showCredits, showPerMonth, toCredits } from '../../lib/credits.js';
import { showBytes } from '../../lib/format.js';
import { showRunway } from '../../lib/runway.js';
import { ErrorState } from '../../parts/States.js';
import { AutomaticSwitch } from '../allocate/AutomaticSwitch.js';
import walletClasses from '../WalletPage.module.css';
import { axisDay, lastDays, nameDay, today } from '../../lib/utcDays.js';
import classes from './StorageCard.module.css';

const DAYS = 60;
const SERIES: readonly Series[] = [{ label: words.storageCard.stored, tone: 'sand' }];
type Day = StorageHistoryQuery['storage']['history'][number];

/** What is stored, its cost, how long it is funded, and its history. */
export function StorageCard({ storage, wallet }: { storage: StorageFactsFragment; wallet: WalletBalancesFragment }) {
  const days = lastDays(DAYS);
  const { data, error, refetch } = useQuery(StorageHistoryDocument, {
    variables: { from: days[0] ?? today(), to: today() },
  });
  const history = data?.storage.history;

  return (
    <section className={`panel ${walletClasses['card']}`} aria-labelledby="storage-title">
      <div>
        <Title order={2} id="storage-title">
          {words.storageCard.storage}
        </Title>
        <p className={walletClasses['note']}>{words.storageCard.storageBilledNightlyFrom}</p>
      </div>
      <dl className={`${classes['facts']} num`}>
        <Fact name={words.storageCard.storedNow} value={showBytes(storage.bytes)} />
        <Fact
          name={words.storageCard.costPerMonth}
          value={words.storageCard.credits(showPerMonth(storage.creditsPerDay))}
        />
        <Fact name={words.storageCard.fundedFor} value={showRunway(storage.runwayDays)} />
      </dl>
      <AutomaticSwitch bucket={'CLOUD'} wallet={wallet} />
      {history ? <Arrears history={history} /> : null}
      {error && !data ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? (
        <Skeleton height={180} role="status" aria-busy="true" aria-label={words.storageCard.loadingChart} />
      ) : null}
      {history?.length === 0 ? <p className={classes['none']}>{words.storageCard.noChargesLastDays(DAYS)}</p> : null}
      {history && history.length > 0 ? (
        <BarChart
          label={words.storageCard.bytesStoredAtEnd(DAYS)}
          unit={words.storageCard.day}
          bars={days.slice(0, -1).map((day) => barOf(day, history))}
          series={SERIES}
          totalLabel={words.storageCard.charged}
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

/** Nights that could not be paid: what that means, and whether they were paid later. */
function Arrears({ history }: { history: readonly Day[] }) {
  const unpaid = history.filter(({ arrears }) => microsOf(arrears) > 0n);
  if (unpaid.length === 0) return null;
  const sum = unpaid.reduce((total, { arrears }) => total + microsOf(arrears), 0n);
  return (
    <p className={`${classes['arrears']} num`}>
      {words.storageCard.onCloudWasToo(unpaid.length, showCredits(toCredits(sum)), nameDay(unpaid.at(-1)?.day ?? ''))}
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
