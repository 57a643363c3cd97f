import { words } from '#words/support.js';
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
import { showMoment } from '../../lib/format.js';
import { PageHead } from '../../parts/PageHead.js';
import { AccountLink, Ago, StateBadge } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { ReasonButton } from '../parts/ReasonButton.js';
import { PAGE, StaffList } from '../parts/StaffList.js';
import { ADJUSTMENT, showMoney } from '../states.js';

const STATUSES: readonly (AdjustmentStatus | '')[] = ['PENDING', 'APPROVED', 'REFUSED', 'EXPIRED', ''];

/** Refunds and quotas that need two members of staff. Nobody decides their own. */
export default function Requests() {
  const [status, setStatus] = useState<AdjustmentStatus | ''>('PENDING');
  const variables = { first: PAGE, status: status || null };
  const { data, error, refetch, fetchMore } = useQuery(StaffRequestsDocument, { variables });
  return (
    <>
      <PageHead title={words.requests.requests} note={words.requests.refundsQuotasAboveLimit} />
      <StaffList
        label={words.requests.requestsRefundsQuotas}
        pages={data?.staffRequests}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(request) => request.id}
        keep={(request) => !status || request.status === status}
        render={(request) => <RequestRow request={request} />}
        empty={{ icon: 'check', title: words.requests.noRequests, advice: words.requests.noMatchingRequests }}
        estimatePx={92}
        filters={
          <NativeSelect
            size="xs"
            aria-label={words.requests.filterRequests}
            value={status}
            data={STATUSES.map((value) => ({ value, label: value ? ADJUSTMENT[value].label : words.requests.all }))}
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
          <span>{words.requests.requestedBy(request.requestedByEmail, <Ago at={request.requestedAt} />)}</span>
          {request.status === 'PENDING' ? <span>{words.requests.until(showMoment(request.expiresAt))}</span> : null}
          {request.decidedAt ? (
            <span>{words.requests.decided(request.decidedByEmail, request.decisionReason)}</span>
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

  if (request.requestedBy === viewer.id)
    return <span className={classes['soft']}>{words.requests.needsAnotherReviewer}</span>;
  if (accountId === viewer.account.id) return <span className={classes['soft']}>{words.requests.ownAccount}</span>;

  const whose = accountEmail ?? accountId;
  const wish = wishOf(request);
  return (
    <div className={classes['end']}>
      <ReasonButton
        verb={words.requests.refuse}
        label={words.requests.refuse2(wish, whose)}
        title={words.requests.refuseRequest}
        isDestructive
        done={words.requests.refused}
        onConfirm={(reason) => refuse({ variables: { accountId, id, reason } })}
      >
        {words.requests.nothingChangesRequested(request.requestedByEmail, wish, request.reason)}
      </ReasonButton>
      <ReasonButton
        verb={words.requests.approve}
        label={words.requests.approve2(wish, whose)}
        title={words.requests.approveRequest}
        done={words.requests.approved}
        onConfirm={(reason) => approve({ variables: { accountId, id, reason } })}
      >
        {words.requests.approving(request.kind === 'REFUND', request.requestedByEmail, wish, request.reason)}
      </ReasonButton>
    </div>
  );
}

/** "refund of 60.00 INR", or "quota of 5,000 a day for Website". */
function wishOf({ kind, amount, currency, dailyQuota, apiKeyName }: StaffRequestLineFragment): string {
  if (kind === 'REFUND') return words.requests.refund(showMoney(amount ?? '', currency ?? ''));
  return words.requests.quota(dailyQuota ?? 0, apiKeyName);
}
