import { words } from '#words/support.js';
import { useQuery } from '@apollo/client/react';
import { StaffMissingWebhooksDocument } from '../../generated/graphql.js';
import { PageHead } from '../../parts/PageHead.js';
import { TopUpRow } from '../account/TopUpRow.js';
import { PAGE, StaffList } from '../parts/StaffList.js';

export default function MissingWebhooks() {
  const { data, error, refetch, fetchMore } = useQuery(StaffMissingWebhooksDocument, { variables: { first: PAGE } });
  return (
    <>
      <PageHead title={words.missingWebhooks.missingWebhooks} note={words.missingWebhooks.paidAtProviderBut} />
      <StaffList
        label={words.missingWebhooks.topUpsWithoutWebhook}
        pages={data?.topUpsWithoutWebhook}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(topUp) => topUp.id}
        render={(topUp) => <TopUpRow topUp={topUp} isOfMany />}
        empty={{
          icon: 'check',
          title: words.missingWebhooks.noMissingWebhooks,
          advice: words.missingWebhooks.everyPaymentWasConfirmed,
        }}
        estimatePx={92}
      />
    </>
  );
}
