import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton } from '@mantine/core';
import { WalletUseDocument } from '../generated/graphql.js';
import { microsOf } from '../lib/credits.js';
import { ErrorState } from '../parts/States.js';
import { AllocateCard } from './allocate/AllocateCard.js';
import { Balances } from './Balances.js';
import { DebtCard } from './DebtCard.js';
import classes from './WalletPage.module.css';
import { LatestTopUps } from './topUps/LatestTopUps.js';
import { ReturnedTopUp } from './topUps/ReturnedTopUp.js';
import { SpendingCard } from './usage/SpendingCard.js';
import { StorageCard } from './usage/StorageCard.js';
import { WarningCard } from './usage/WarningCard.js';

/** The first page of the wallet: balances and their use. */
export function Overview() {
  const { data, error, refetch } = useQuery(WalletUseDocument);
  if (!data) {
    return (
      <>
        <ReturnedTopUp />
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading />}
      </>
    );
  }
  const { wallet, storage } = data;
  return (
    <div className={classes['stack']}>
      <ReturnedTopUp />
      {microsOf(wallet.debt) < 0n ? <DebtCard wallet={wallet} /> : null}
      <Balances wallet={wallet} storage={storage} />
      <AllocateCard wallet={wallet} />
      <SpendingCard />
      <StorageCard storage={storage} wallet={wallet} />
      <div className={classes['pair']}>
        <LatestTopUps />
        <WarningCard current={wallet.lowBalanceWarning} />
      </div>
    </div>
  );
}

function Loading() {
  return (
    <div className={classes['stack']} role="status" aria-busy="true" aria-label={words.overview.loadingWallet}>
      <Skeleton height={228} radius="lg" />
      <Skeleton height={210} radius="lg" />
      <Skeleton height={290} radius="lg" />
    </div>
  );
}
