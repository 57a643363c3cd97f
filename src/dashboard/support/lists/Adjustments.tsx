import { useMutation, useQuery } from '@apollo/client/react';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useViewer } from '../../app/viewer.js';
import {
  StaffAdjustmentsDocument,
  StaffApproveAdjustmentDocument,
  StaffRefuseAdjustmentDocument,
  StaffWaitingDocument,
  type AdjustmentStatus,
  type StaffAdjustmentFragment,
} from '../../generated/graphql.js';
import { showCredits } from '../../lib/credits.js';
import { showMoment } from '../../lib/format.js';
import { PageHead } from '../../parts/PageHead.js';
import { AccountLink, Ago, SignedCredits, StateBadge } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { ReasonButton } from '../parts/ReasonButton.js';
import { PAGE, StaffList } from '../parts/StaffList.js';
import { ADJUSTMENT } from '../words.js';

const STATUSES: readonly (AdjustmentStatus | '')[] = ['PENDING', 'APPROVED', 'REFUSED', 'EXPIRED', ''];

/** Adjustments above the limit of one person. Nobody decides their own. */
export default function Adjustments() {
  const [status, setStatus] = useState<AdjustmentStatus | ''>('PENDING');
  const variables = { first: PAGE, status: status || null };
  const { data, error, refetch, fetchMore } = useQuery(StaffAdjustmentsDocument, { variables });
  return (
    <>
      <PageHead title="Adjustments" note="Beyond the limit of one person, a second one decides within seven days." />
      <StaffList
        label="Adjustment requests"
        pages={data?.adjustmentRequests}
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

function RequestRow({ request }: { request: StaffAdjustmentFragment }) {
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <SignedCredits credits={request.amount} />
          <AccountLink id={request.accountId} email={request.accountEmail} />
          <StateBadge look={ADJUSTMENT[request.status]} />
        </span>
        <span className={classes['quote']}>{request.reason}</span>
        <span className={classes['soft']}>
          <span>
            asked for by {request.requestedByEmail ?? 'somebody who is gone'}, <Ago at={request.requestedAt} />
          </span>
          {request.status === 'PENDING' ? (
            <span>until {showMoment(request.expiresAt ?? request.requestedAt)}</span>
          ) : null}
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

function Decision({ request }: { request: StaffAdjustmentFragment }) {
  const viewer = useViewer();
  const refetchQueries = [StaffAdjustmentsDocument, StaffWaitingDocument];
  const [approve] = useMutation(StaffApproveAdjustmentDocument, { refetchQueries });
  const [refuse] = useMutation(StaffRefuseAdjustmentDocument, { refetchQueries });
  const { id, accountId, accountEmail } = request;

  if (request.requestedBy === viewer.id) return <span className={classes['soft']}>Somebody else decides yours</span>;
  if (accountId === viewer.account.id) return <span className={classes['soft']}>It is your own wallet</span>;

  const whose = accountEmail ?? accountId;
  const amount = showCredits(request.amount);
  return (
    <div className={classes['end']}>
      <ReasonButton
        verb="Refuse"
        label={`Refuse ${amount} for ${whose}`}
        title="Refuse this adjustment?"
        isDestructive
        done="Refused"
        onConfirm={(reason) => refuse({ variables: { accountId, id, reason } })}
      >
        Nothing is booked. {request.requestedByEmail} asked for {amount} credits: {request.reason}
      </ReasonButton>
      <ReasonButton
        verb="Approve"
        label={`Approve ${amount} for ${whose}`}
        title="Approve this adjustment?"
        done={`${amount} credits booked`}
        onConfirm={(reason) => approve({ variables: { accountId, id, reason } })}
      >
        {amount} credits are booked to {whose} at once. {request.requestedByEmail} asked for it: {request.reason}
      </ReasonButton>
    </div>
  );
}
