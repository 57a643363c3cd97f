import { useQuery } from '@apollo/client/react';
import { useSearchParams } from 'react-router';
import { TopUpDocument } from '../../generated/graphql.js';
import { withoutParameter } from '../../lib/withoutParameter.js';
import { ErrorState } from '../../parts/States.js';
import { WaitingTopUp } from './WaitingTopUp.js';

const ASK_AGAIN_MS = 2500;

/** The state of a top-up, live, after the return from the pay page (`?topUp=`). */
export function ReturnedTopUp() {
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
