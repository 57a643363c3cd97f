import { words } from '#words/support.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import {
  StaffAdjustmentsDocument,
  StaffApproveAdjustmentDocument,
  StaffRefuseAdjustmentDocument,
  StaffWaitingDocument,
} from '../../generated/graphql.js';
import { showCredits } from '../../lib/credits.js';
import { SignedCredits } from '../parts/Bits.js';
import { ReviewList, type ReviewStatus } from '../parts/ReviewList.js';
import { PAGE } from '../parts/StaffList.js';

const refetchQueries = [StaffAdjustmentsDocument, StaffWaitingDocument];

/** Adjustments above the limit of one person. */
export default function Adjustments() {
  const [status, setStatus] = useState<ReviewStatus>('PENDING');
  const variables = { first: PAGE, status: status || null };
  const { data, error, refetch, fetchMore } = useQuery(StaffAdjustmentsDocument, { variables });
  const [approve] = useMutation(StaffApproveAdjustmentDocument, { refetchQueries });
  const [refuse] = useMutation(StaffRefuseAdjustmentDocument, { refetchQueries });
  return (
    <ReviewList
      title={words.adjustments.adjustments}
      note={words.adjustments.aboveLimitOnePerson}
      label={words.adjustments.adjustmentRequests}
      pages={data?.adjustmentRequests}
      error={error}
      onRetry={() => void refetch()}
      onMore={(after) => fetchMore({ variables: { after } })}
      status={status}
      onStatus={setStatus}
      renderSubject={({ amount }) => <SignedCredits credits={amount} />}
      name={({ amount }) => showCredits(amount)}
      refusal={{
        title: words.adjustments.refuseAdjustment,
        explain: ({ requestedByEmail, amount, reason }) =>
          words.adjustments.refusing(requestedByEmail, showCredits(amount), reason),
        done: () => words.reviewList.refused,
        onConfirm: (decision) => refuse({ variables: decision }),
      }}
      approval={{
        title: words.adjustments.approveAdjustment,
        explain: ({ requestedByEmail, amount, reason, accountEmail, accountId }) =>
          words.adjustments.approving(showCredits(amount), accountEmail ?? accountId, requestedByEmail, reason),
        done: ({ amount }) => words.adjustments.creditsAdjusted(showCredits(amount)),
        onConfirm: (decision) => approve({ variables: decision }),
      }}
    />
  );
}
