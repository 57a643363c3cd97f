import { words } from '#words/wallet.js';
import { Button, Skeleton, Title } from '@mantine/core';
import { Link } from 'react-router';
import { Changes } from '../../parts/Changes.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import { useAddCredits } from '../addCredits.js';
import classes from './TopUps.module.css';
import { TopUpRow } from './TopUpRow.js';
import { useTopUps } from './useTopUps.js';

const SHOWN = 4;

/** The latest top-ups, in the overview. */
export function LatestTopUps() {
  const { topUps, error, reload } = useTopUps();
  const addCredits = useAddCredits();
  return (
    <section className={`panel ${classes['list']}`} aria-labelledby="latest-title">
      <div className={classes['head']}>
        <Title order={2} id="latest-title">
          {words.latestTopUps.latestTopUps}
        </Title>
        {topUps && topUps.length > 0 ? (
          <Button component={Link} to="/wallet/top-ups" size="compact-sm" variant="subtle">
            {words.latestTopUps.allTopUps}
          </Button>
        ) : null}
      </div>
      {error && !topUps ? <ErrorState error={error} onRetry={reload} /> : null}
      {!topUps && !error ? (
        <Skeleton height={120} role="status" aria-busy="true" aria-label={words.latestTopUps.loadingTopUps} />
      ) : null}
      {topUps?.length === 0 ? (
        <EmptyState
          icon="wallet"
          title={words.latestTopUps.noTopUpsYet}
          advice={words.latestTopUps.payRupeesRazorpayDollars}
        >
          <Changes>
            <Button variant="default" onClick={addCredits}>
              {words.latestTopUps.addCredits}
            </Button>
          </Changes>
        </EmptyState>
      ) : null}
      {topUps?.slice(0, SHOWN).map((topUp) => (
        <TopUpRow key={topUp.id} topUp={topUp} />
      ))}
    </section>
  );
}
