import { useQuery } from '@apollo/client/react';
import { StaffMissingWebhooksDocument } from '../../generated/graphql.js';
import { PageHead } from '../../parts/PageHead.js';
import { TopUpRow } from '../account/TopUpRow.js';
import { PAGE, StaffList } from '../parts/StaffList.js';

export default function MissingWebhooks() {
  const { data, error, refetch, fetchMore } = useQuery(StaffMissingWebhooksDocument, { variables: { first: PAGE } });
  return (
    <>
      <PageHead
        title="Missing webhooks"
        note="Paid at the provider, but its webhook never came. Only a webhook credits."
      />
      <StaffList
        label="Top-ups without a webhook"
        pages={data?.topUpsWithoutWebhook}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(topUp) => topUp.id}
        render={(topUp) => <TopUpRow topUp={topUp} isOfMany />}
        empty={{ icon: 'check', title: 'None is missing', advice: 'Whatever was paid, we were told.' }}
        estimatePx={92}
      />
    </>
  );
}
