import { words } from '#words/support.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import {
  StaffApproveRequestDocument,
  StaffRefuseRequestDocument,
  StaffRequestsDocument,
  StaffWaitingDocument,
  type StaffRequestLineFragment,
} from '../../generated/graphql.js';
import { ReviewList, type ReviewStatus } from '../parts/ReviewList.js';
import { PAGE } from '../parts/StaffList.js';
import { showMoney } from '../states.js';

const refetchQueries = [StaffRequestsDocument, StaffWaitingDocument];

/** Refunds and quotas that need two members of staff. */
export default function Requests() {
  const [status, setStatus] = useState<ReviewStatus>('PENDING');
  const variables = { first: PAGE, status: status || null };
  const { data, error, refetch, fetchMore } = useQuery(StaffRequestsDocument, { variables });
  const [approve] = useMutation(StaffApproveRequestDocument, { refetchQueries });
  const [refuse] = useMutation(StaffRefuseRequestDocument, { refetchQueries });
  return (
    <ReviewList
      title={words.requests.requests}
      note={words.requests.refundsQuotasAboveLimit}
      label={words.requests.requestsRefundsQuotas}
      pages={data?.staffRequests}
      error={error}
      onRetry={() => void refetch()}
      onMore={(after) => fetchMore({ variables: { after } })}
      status={status}
      onStatus={setStatus}
      renderSubject={(request) => <b className="num">{nameOf(request)}</b>}
      name={nameOf}
      refusal={{
        title: words.requests.refuseRequest,
        explain: (request) => words.requests.refusing(request.requestedByEmail, nameOf(request), request.reason),
        done: () => words.reviewList.refused,
        onConfirm: (decision) => refuse({ variables: decision }),
      }}
      approval={{
        title: words.requests.approveRequest,
        explain: (request) =>
          words.requests.approving(
            request.kind === 'REFUND',
            request.requestedByEmail,
            nameOf(request),
            request.reason,
          ),
        done: () => words.requests.approved,
        onConfirm: (decision) => approve({ variables: decision }),
      }}
    />
  );
}

/** "refund of 60.00 INR", or "quota of 5,000 per day for Website". */
function nameOf({ kind, amount, currency, dailyQuota, apiKeyName }: StaffRequestLineFragment): string {
  if (kind === 'REFUND') return words.requests.refund(showMoney(amount ?? '', currency ?? ''));
  return words.requests.quota(dailyQuota ?? 0, apiKeyName);
}
