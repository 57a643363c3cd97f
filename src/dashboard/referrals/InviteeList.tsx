import { words } from '#words/referrals.js';
import { Title } from '@mantine/core';
import type { ReferralsQuery, ReferralStatus } from '../generated/graphql.js';
import { microsOf, showCredits } from '../lib/credits.js';
import { showDay, showMoment } from '../lib/format.js';
import { EmptyState } from '../parts/States.js';
import { WindowedList } from '../parts/WindowedList.js';
import { StateTag, type StateKind } from '../wallet/StateTag.js';
import classes from './ReferralsPage.module.css';

type Invitee = ReferralsQuery['referrals']['invitees']['edges'][number]['node'];

const ROW_PX = 66;
const STATUS: Record<ReferralStatus, { readonly label: string; readonly kind: StateKind }> = {
  PENDING: { label: words.status.pending, kind: 'open' },
  GRANTED: { label: words.status.granted, kind: 'good' },
  CLAWED_BACK: { label: words.status.clawedBack, kind: 'bad' },
  CANCELLED: { label: words.status.cancelled, kind: 'plain' },
};

interface Props {
  readonly invitees: readonly Invitee[];
  readonly windowHours: number;
  readonly total: number;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly error: unknown;
  readonly onMore: () => void;
}

/** The invitees of the code, and their status. */
export function InviteeList({ invitees, windowHours, total, hasMore, loadingMore, error, onMore }: Props) {
  return (
    <section className={`panel ${classes['list']}`} aria-labelledby="invitees-title">
      <Title order={2} id="invitees-title">
        {words.invitees.title}
      </Title>
      {invitees.length === 0 ? (
        <EmptyState icon="referrals" title={words.invitees.none} advice={words.invitees.noneAdvice} />
      ) : (
        <WindowedList
          items={invitees}
          keyOf={({ id }) => id}
          render={(invitee) => <Row invitee={invitee} windowHours={windowHours} />}
          label={words.invitees.label}
          estimatePx={ROW_PX}
          total={total}
          hasMore={hasMore}
          loadingMore={loadingMore}
          onMore={onMore}
          error={error}
        />
      )}
    </section>
  );
}

function Row({ invitee, windowHours }: { invitee: Invitee; windowHours: number }) {
  const { label, kind } = STATUS[invitee.status];
  return (
    <div className={classes['row']}>
      <span className={classes['who']}>
        <b>{invitee.maskedEmail}</b>
        <small>{reasonOf(invitee, windowHours)}</small>
      </span>
      <StateTag kind={kind}>{label}</StateTag>
      <span className={`${classes['bonus']} num`}>
        {microsOf(invitee.bonus) > 0n ? `+${showCredits(invitee.bonus)}` : '–'}
      </span>
    </div>
  );
}

function reasonOf({ status, joinedAt, windowEndsAt }: Invitee, windowHours: number): string {
  switch (status) {
    case 'PENDING':
      return words.invitees.pending(showDay(joinedAt));
    case 'GRANTED':
      return windowEndsAt !== null && new Date(windowEndsAt).getTime() > Date.now()
        ? words.invitees.revocable(showDay(joinedAt), showMoment(windowEndsAt))
        : words.invitees.final(showDay(joinedAt));
    case 'CLAWED_BACK':
      return words.invitees.clawedBack(showDay(joinedAt), windowHours);
    case 'CANCELLED':
      return words.invitees.cancelled(showDay(joinedAt));
  }
}
