import { words } from '#words/support.js';
import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useViewer } from '../../session/viewer.js';
import type { AdjustmentStatus } from '../../generated/graphql.js';
import { showMoment } from '../../lib/format.js';
import { PageHead } from '../../parts/PageHead.js';
import { ADJUSTMENT } from '../states.js';
import { AccountLink, Ago, StateBadge } from './Bits.js';
import classes from './console.module.css';
import { ReasonButton } from './ReasonButton.js';
import { StaffList, type Pages } from './StaffList.js';

/** Empty for requests of every status. */
export type ReviewStatus = AdjustmentStatus | '';

const STATUSES: readonly ReviewStatus[] = ['PENDING', 'APPROVED', 'REFUSED', 'EXPIRED', ''];

/** What a second person decides. */
interface Review {
  readonly id: string;
  readonly accountId: string;
  readonly accountEmail: string | null;
  readonly reason: string;
  readonly status: AdjustmentStatus;
  readonly requestedBy: string;
  readonly requestedByEmail: string | null;
  readonly requestedAt: string;
  readonly expiresAt: string | null;
  readonly decidedByEmail: string | null;
  readonly decidedAt: string | null;
  readonly decisionReason: string | null;
}

/** One of the two decisions: what its dialog says and does. */
interface Decision<Request> {
  readonly title: string;
  readonly explain: (request: Request) => string;
  /** Shown after success. */
  readonly done: (request: Request) => string;
  readonly onConfirm: (variables: { accountId: string; id: string; reason: string }) => Promise<unknown>;
}

interface Decisions<Request> {
  /** What was requested, in a sentence. */
  readonly name: (request: Request) => string;
  readonly refusal: Decision<Request>;
  readonly approval: Decision<Request>;
}

interface Props<Request> extends Decisions<Request> {
  readonly title: string;
  readonly note: string;
  /** The list's name for screen readers. */
  readonly label: string;
  readonly pages: Pages<Request> | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onMore: (after: string | null) => Promise<unknown>;
  readonly status: ReviewStatus;
  readonly onStatus: (status: ReviewStatus) => void;
  /** What was requested, as its row begins. */
  readonly renderSubject: (request: Request) => ReactNode;
}

/** A page of requests that need two members of staff. Nobody decides their own. */
export function ReviewList<Request extends Review>(props: Props<Request>) {
  const { title, note, label, pages, error, onRetry, onMore, status, onStatus, renderSubject, ...decisions } = props;
  return (
    <>
      <PageHead title={title} note={note} />
      <StaffList
        label={label}
        pages={pages}
        error={error}
        onRetry={onRetry}
        onMore={onMore}
        keyOf={(request) => request.id}
        keep={(request) => !status || request.status === status}
        render={(request) => (
          <>
            <ReviewFacts request={request}>{renderSubject(request)}</ReviewFacts>
            {request.status === 'PENDING' ? <ReviewButtons request={request} {...decisions} /> : null}
          </>
        )}
        empty={{ icon: 'check', title: words.reviewList.noRequests, advice: words.reviewList.noMatchingRequests }}
        estimatePx={92}
        filters={
          <NativeSelect
            size="xs"
            aria-label={words.reviewList.filterRequests}
            value={status}
            data={STATUSES.map((value) => ({ value, label: value ? ADJUSTMENT[value].label : words.reviewList.all }))}
            onChange={(event) => onStatus(event.currentTarget.value as ReviewStatus)}
          />
        }
      />
    </>
  );
}

function ReviewFacts({ request, children }: { readonly request: Review; readonly children: ReactNode }) {
  return (
    <div className={classes['what']}>
      <span className={classes['line']}>
        {children}
        <AccountLink id={request.accountId} email={request.accountEmail} />
        <StateBadge look={ADJUSTMENT[request.status]} />
      </span>
      <span className={classes['quote']}>{request.reason}</span>
      <span className={classes['soft']}>
        <span>{words.reviewList.requestedBy(request.requestedByEmail, <Ago at={request.requestedAt} />)}</span>
        {request.status === 'PENDING' ? (
          <span>{words.reviewList.expires(showMoment(request.expiresAt ?? request.requestedAt))}</span>
        ) : null}
        {request.decidedAt ? (
          <span>{words.reviewList.decided(request.decidedByEmail, request.decisionReason)}</span>
        ) : null}
      </span>
    </div>
  );
}

function ReviewButtons<Request extends Review>(props: Decisions<Request> & { readonly request: Request }) {
  const { request, name, refusal, approval } = props;
  const viewer = useViewer();
  const { id, accountId, accountEmail } = request;

  if (request.requestedBy === viewer.id)
    return <span className={classes['soft']}>{words.reviewList.needsAnotherReviewer}</span>;
  if (accountId === viewer.account.id) return <span className={classes['soft']}>{words.reviewList.ownAccount}</span>;

  const whose = accountEmail ?? accountId;
  return (
    <div className={classes['end']}>
      <ReasonButton
        verb={words.reviewList.refuse}
        label={words.reviewList.refuseOf(name(request), whose)}
        title={refusal.title}
        isDestructive
        done={refusal.done(request)}
        onConfirm={(reason) => refusal.onConfirm({ accountId, id, reason })}
      >
        {refusal.explain(request)}
      </ReasonButton>
      <ReasonButton
        verb={words.reviewList.approve}
        label={words.reviewList.approveOf(name(request), whose)}
        title={approval.title}
        done={approval.done(request)}
        onConfirm={(reason) => approval.onConfirm({ accountId, id, reason })}
      >
        {approval.explain(request)}
      </ReasonButton>
    </div>
  );
}
