import { useMutation, useQuery } from '@apollo/client/react';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useViewer } from '../../app/viewer.js';
import {
  StaffRequestsDocument,
  StaffApproveRequestDocument,
  StaffRefuseRequestDocument,
  StaffWaitingDocument,
  type AdjustmentStatus,
  type StaffRequestLineFragment,
} from '../../generated/graphql.js';
import { showMoment, showNumber } from '../../lib/format.js';
import { PageHead } from '../../parts/PageHead.js';
import { AccountLink, Ago, StateBadge } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { ReasonButton } from '../parts/ReasonButton.js';
import { PAGE, StaffList } from '../parts/StaffList.js';
import { ADJUSTMENT, showMoney } from '../words.js';

const STATUSES: readonly (AdjustmentStatus | '')[] = ['PENDING', 'APPROVED', 'REFUSED', 'EXPIRED', ''];

/** Refunds and quotas that need two members of staff. Nobody decides their own. */
export default function Requests() {
  const [status, setStatus] = useState<AdjustmentStatus | ''>('PENDING');
  const variables = { first: PAGE, status: status || null };
  const { data, error, refetch, fetchMore } = useQuery(StaffRequestsDocument, { variables });
  return (
    <>
      <PageHead
        title="Requests"
        note="Refunds and quotas that one person may not give alone. A second one decides within seven days."
      />
      <StaffList
        label="Requests for refunds and quotas"
        pages={data?.staffRequests}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(request) => request.id}
        keep={(request) => !status || request.status === status}
        render={(request) => <RequestRow request={request} />}
        empty={{ icon: 'check', title: 'Nothing waits', advice: 'There is no request that fits.' }}
        estimatePx={92}
        filters={
          <NativeSelect
            size="xs"
            aria-label="Which requests"
            value={status}
            data={STATUSES.map((value) => ({ value, label: value ? ADJUSTMENT[value].label : 'All' }))}
            onChange={(event) => setStatus(event.currentTarget.value as AdjustmentStatus | '')}
          />
        }
      />
    </>
  );
}

function RequestRow({ request }: { request: StaffRequestLineFragment }) {
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <b className="num">{wishOf(request)}</b>
          <AccountLink id={request.accountId} email={request.accountEmail} />
          <StateBadge look={ADJUSTMENT[request.status]} />
        </span>
        <span className={classes['quote']}>{request.reason}</span>
        <span className={classes['soft']}>
          <span>
            asked for by {request.requestedByEmail ?? 'somebody who is gone'}, <Ago at={request.requestedAt} />
          </span>
          {request.status === 'PENDING' ? <span>until {showMoment(request.expiresAt)}</span> : null}
          {request.decidedAt ? (
            <span>
              decided by {request.decidedByEmail}: {request.decisionReason}
            </span>
          ) : null}
        </span>
      </div>
      {request.status === 'PENDING' ? <Decision request={request} /> : null}
    </>
  );
}

function Decision({ request }: { request: StaffRequestLineFragment }) {
  const viewer = useViewer();
  const refetchQueries = [StaffRequestsDocument, StaffWaitingDocument];
  const [approve] = useMutation(StaffApproveRequestDocument, { refetchQueries });
  const [refuse] = useMutation(StaffRefuseRequestDocument, { refetchQueries });
  const { id, accountId, accountEmail } = request;

  if (request.requestedBy === viewer.id) return <span className={classes['soft']}>Somebody else decides yours</span>;
  if (accountId === viewer.account.id) return <span className={classes['soft']}>It is your own account</span>;

  const whose = accountEmail ?? accountId;
  const wish = wishOf(request);
  return (
    <div className={classes['end']}>
      <ReasonButton
        verb="Refuse"
        label={`Refuse ${wish} for ${whose}`}
        title="Refuse this request?"
        isDestructive
        done="Refused"
        onConfirm={(reason) => refuse({ variables: { accountId, id, reason } })}
      >
        Nothing changes. {request.requestedByEmail} asked for a {wish}: {request.reason}
      </ReasonButton>
      <ReasonButton
        verb="Approve"
        label={`Approve ${wish} for ${whose}`}
        title="Approve this request?"
        done="Approved"
        onConfirm={(reason) => approve({ variables: { accountId, id, reason } })}
      >
        {request.kind === 'REFUND'
          ? 'The provider is asked to pay it back at once.'
          : 'It acts on the very next request.'}{' '}
        {request.requestedByEmail} asked for a {wish}: {request.reason}
      </ReasonButton>
    </div>
  );
}

/** "refund of 60.00 INR", or "quota of 5,000 a day for Website". */
function wishOf({ kind, amount, currency, dailyQuota, apiKeyName }: StaffRequestLineFragment): string {
  if (kind === 'REFUND') return `refund of ${showMoney(amount ?? '', currency ?? '')}`;
  return `quota of ${showNumber(dailyQuota ?? 0)} a day for ${apiKeyName ?? 'a key that is gone'}`;
}
