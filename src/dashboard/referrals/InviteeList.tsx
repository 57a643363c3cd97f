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
  PENDING: { label: 'Pending', kind: 'open' },
  GRANTED: { label: 'Granted', kind: 'good' },
  CLAWED_BACK: { label: 'Taken back', kind: 'bad' },
  CANCELLED: { label: 'No bonus', kind: 'plain' },
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

/** Who came by the code, and how each of them stands. */
export function InviteeList({ invitees, windowHours, total, hasMore, loadingMore, error, onMore }: Props) {
  return (
    <section className={`panel ${classes['list']}`} aria-labelledby="invitees-title">
      <Title order={2} id="invitees-title">
        Who came
      </Title>
      {invitees.length === 0 ? (
        <EmptyState
          icon="referrals"
          title="Nobody yet"
          advice="Send your link to somebody who has videos to show. They appear here once they have signed up."
        />
      ) : (
        <WindowedList
          items={invitees}
          keyOf={({ id }) => id}
          render={(invitee) => <Row invitee={invitee} windowHours={windowHours} />}
          label="Invitees, newest first"
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

/** Why it stands as it does. */
function reasonOf({ status, joinedAt, windowEndsAt }: Invitee, windowHours: number): string {
  const joined = `Joined ${showDay(joinedAt)}`;
  switch (status) {
    case 'PENDING':
      return `${joined}. The bonus comes with their first top-up.`;
    case 'GRANTED':
      return windowEndsAt !== null && new Date(windowEndsAt).getTime() > Date.now()
        ? `${joined}. Yours for good from ${showMoment(windowEndsAt)}.`
        : `${joined}. Yours for good.`;
    case 'CLAWED_BACK':
      return `${joined}. Taken back: the first top-up was refunded within ${windowHours} hours, or paid as you pay.`;
    case 'CANCELLED':
      return `${joined}. The first top-up was refunded at once, or paid with a method that you use, too.`;
  }
}
