import { words } from '#words/supportAccount.js';
import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { BarChart } from '../../charts/BarChart.js';
import { StaffStorageDaysDocument } from '../../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../../lib/credits.js';
import { showDay } from '../../lib/format.js';
import { axisDay, daysBack, lastDays } from '../../lib/utcDays.js';

const DAYS = 30;
const SERIES = [{ label: words.storageChart.storage, tone: 'stream' }] as const;

/** The storage cost of each of the last days. */
export function StorageChart({ accountId }: { accountId: string }) {
  const [{ from, to }] = useState(() => ({ from: daysBack(DAYS), to: daysBack(1) }));
  const { data } = useQuery(StaffStorageDaysDocument, { variables: { id: accountId, from, to } });
  const history = new Map(data?.account?.storage.history.map((day) => [day.day, day]));
  if (history.size === 0) return null;

  return (
    <BarChart
      label={words.storageChart.creditsStoragePerDay}
      unit={words.storageChart.day}
      heightPx={110}
      series={SERIES}
      tick={(micros) => showCredits(toCredits(BigInt(Math.round(micros))))}
      bars={lastDays(DAYS + 1)
        .slice(0, DAYS)
        .map((day) => {
          const charged = history.get(day)?.charged ?? '0';
          return {
            key: day,
            label: showDay(day),
            axis: axisDay(day),
            parts: [{ value: Number(microsOf(charged)), text: showCredits(charged) }],
          };
        })}
    />
  );
}
