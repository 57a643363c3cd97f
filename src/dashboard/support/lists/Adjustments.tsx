import { words } from '#words/support.js';
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
import { ADJUSTMENT } from '../states.js';

const STATUSES: readonly (AdjustmentStatus | '')[] = ['PENDING', 'APPROVED', 'REFUSED', 'EXPIRED', ''];

/** Adjustments above the limit of one person. Nobody decides their own. */
export default function Adjustments() {
  const [status, setStatus] = useState<AdjustmentStatus | ''>('PENDING');
  const variables = { first: PAGE, status: status || null };
  const { data, error, refetch, fetchMore } = useQuery(StaffAdjustmentsDocument, { variables });
  return (
    <>
      <PageHead title={words.adjustments.adjustments} note={words.adjustments.aboveLimitOnePerson} />
      <StaffList
        label={words.adjustments.adjustmentRequests}
        pages={data?.adjustmentRequests}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(request) => request.id}
        keep={(request) => !status || request.status === status}
        render={(request) => <RequestRow request={request} />}
        empty={{ icon: 'check', title: words.adjustments.noRequests, advice: words.adjustments.noMatchingRequests }}
        estimatePx={92}
        filters={
          <NativeSelect
            size="xs"
            aria-label={words.adjustments.filterRequests}
            value={status}
            data={STATUSES.map((value) => ({ value, label: value ? ADJUSTMENT[value].label : words.adjustments.all }))}
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
          <span>{words.adjustments.requestedBy(request.requestedByEmail, <Ago at={request.requestedAt} />)}</span>
          {request.status === 'PENDING' ? (
            <span>{words.adjustments.until(showMoment(request.expiresAt ?? request.requestedAt))}</span>
          ) : null}
          {request.decidedAt ? (
            <span>{words.adjustments.decided(request.decidedByEmail, request.decisionReason)}</span>
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

  if (request.requestedBy === viewer.id)
    return <span className={classes['soft']}>{words.adjustments.needsAnotherReviewer}</span>;
  if (accountId === viewer.account.id) return <span className={classes['soft']}>{words.adjustments.ownWallet}</span>;

  const whose = accountEmail ?? accountId;
  const amount = showCredits(request.amount);
  return (
    <div className={classes['end']}>
      <ReasonButton
        verb={words.adjustments.refuse}
        label={words.adjustments.refuse2(amount, whose)}
        title={words.adjustments.refuseAdjustment}
        isDestructive
        done={words.adjustments.refused}
        onConfirm={(reason) => refuse({ variables: { accountId, id, reason } })}
      >
        {words.adjustments.nothingChangesRequestedCredits(request.requestedByEmail, amount, request.reason)}
      </ReasonButton>
      <ReasonButton
        verb={words.adjustments.approve}
        label={words.adjustments.approve2(amount, whose)}
        title={words.adjustments.approveAdjustment}
        done={words.adjustments.creditsAdjusted(amount)}
        onConfirm={(reason) => approve({ variables: { accountId, id, reason } })}
      >
        {words.adjustments.creditsBookedImmediatelyRequested(amount, whose, request.requestedByEmail, request.reason)}
      </ReasonButton>
    </div>
  );
}
