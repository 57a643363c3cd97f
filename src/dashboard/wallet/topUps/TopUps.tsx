import { words } from '#words/wallet.js';
import { Button, Skeleton, Stack } from '@mantine/core';
import { Changes } from '../../parts/Changes.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import { WindowedList } from '../../parts/WindowedList.js';
import { useAddCredits } from '../addCredits.js';
import { TopUpRow } from './TopUpRow.js';
import classes from './TopUps.module.css';
import { useTopUps } from './useTopUps.js';

const ROW_PX = 68;

/** All top-ups, with their state and receipt. */
export default function TopUps() {
  const list = useTopUps();
  const addCredits = useAddCredits();
  if (list.error && !list.topUps) return <ErrorState error={list.error} onRetry={list.reload} />;
  if (!list.topUps) {
    return (
      <Stack gap="sm" role="status" aria-busy="true" aria-label={words.topUps.loadingTopUps}>
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} height={60} radius="md" />
        ))}
      </Stack>
    );
  }
  if (list.topUps.length === 0) {
    return (
      <div className="panel">
        <EmptyState icon="wallet" title={words.topUps.noTopUpsYet} advice={words.topUps.topUpsAppearHere}>
          <Changes>
            <Button onClick={addCredits}>{words.topUps.addCredits}</Button>
          </Changes>
        </EmptyState>
      </div>
    );
  }
  return (
    <section className={`panel ${classes['list']} ${classes['bare']}`} aria-label={words.topUps.topUps}>
      <WindowedList
        items={list.topUps}
        keyOf={({ id }) => id}
        render={(topUp) => <TopUpRow topUp={topUp} />}
        label={words.topUps.topUpsNewestFirst}
        estimatePx={ROW_PX}
        hasMore={list.hasMore}
        loadingMore={list.loadingMore}
        onMore={list.loadMore}
        error={list.moreError}
      />
    </section>
  );
}
