import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { WalletUseDocument, TopUpDocument } from '../generated/graphql.js';
import { microsOf } from '../lib/credits.js';
import { ErrorState } from '../parts/States.js';
import { AllocateCard } from './allocate/AllocateCard.js';
import { Balances } from './Balances.js';
import { DebtCard } from './DebtCard.js';
import classes from './WalletPage.module.css';
import { lazyLater } from '../lib/lazy.js';
import { withoutParameter } from '../lib/withoutParameter.js';
import { WaitingTopUp } from './topUps/WaitingTopUp.js';

// A phone shows the balances and their allocation first.
const UseCards = lazyLater(() => import('./usage/UseCards.js'), <UseLoading />);

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
      <UseCards {...data} />
    </div>
  );
}

function Loading() {
  return (
    <div className={classes['stack']} role="status" aria-busy="true" aria-label={words.overview.loadingWallet}>
      <Skeleton height={228} radius="lg" />
      <Skeleton height={210} radius="lg" />
      <UseLoading />
    </div>
  );
}

function UseLoading() {
  return <Skeleton height={330} radius="lg" />;
}

const ASK_AGAIN_MS = 2500;

/** The state of a top-up, live, after the return from the pay page (`?topUp=`). */
function ReturnedTopUp() {
  const [search, setSearch] = useSearchParams();
  const id = search.get('topUp');
  const { data, error, refetch, stopPolling } = useQuery(TopUpDocument, {
    variables: { id: id ?? '' },
    skip: id === null,
    // The live wallet usually reports it first, but a top-up that expires or fails changes no wallet.
    pollInterval: ASK_AGAIN_MS,
  });
  if (id === null) return null;

  function hide(): void {
    stopPolling();
    setSearch(withoutParameter('topUp'), { replace: true });
  }

  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null;
  return <WaitingTopUp key={data.topUp.id} topUp={data.topUp} onFinal={stopPolling} onHide={hide} />;
}
