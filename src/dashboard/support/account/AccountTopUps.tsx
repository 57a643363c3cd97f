import { words } from '#words/supportAccount.js';
import { useQuery } from '@apollo/client/react';
import { StaffTopUpsDocument } from '../../generated/graphql.js';
import { PAGE, StaffList } from '../parts/StaffList.js';
import type { StaffAccount } from './staffAccount.js';
import { TopUpRow } from './TopUpRow.js';

export function AccountTopUps({ account }: { account: StaffAccount }) {
  const variables = { id: account.id, first: PAGE };
  const { data, error, refetch, fetchMore } = useQuery(StaffTopUpsDocument, { variables });
  return (
    <StaffList
      label={words.accountTopUps.topUps}
      pages={data?.topUpsOf}
      error={error}
      onRetry={() => void refetch()}
      onMore={(after) => fetchMore({ variables: { after } })}
      keyOf={(topUp) => topUp.id}
      render={(topUp) => <TopUpRow topUp={topUp} />}
      empty={{ icon: 'wallet', title: words.accountTopUps.noTopUps, advice: words.accountTopUps.ownerHasNoTop }}
      estimatePx={90}
    />
  );
}
