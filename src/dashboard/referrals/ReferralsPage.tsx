import { useQuery } from '@apollo/client/react';
import { Skeleton, Stack, Title } from '@mantine/core';
import { ReferralsDocument, type ReferralsQuery } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { PageHead } from '../parts/PageHead.js';
import { ErrorState } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { InviteeList } from './InviteeList.js';
import classes from './ReferralsPage.module.css';
import { ShareLink } from './ShareLink.js';

const PAGE = 50;
type Facts = ReferralsQuery['referrals'];

/** The account's own code, what it brings, and what came of it. */
export default function ReferralsPage() {
  const { data, error, fetchMore, refetch } = useQuery(ReferralsDocument, { variables: { first: PAGE } });
  const referrals = data?.referrals;
  const more = useAction(() => fetchMore({ variables: { after: referrals?.invitees.pageInfo.endCursor } }));

  return (
    <>
      <PageHead title="Referrals" note="Invite others, earn credits." />
      {error && !referrals ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!referrals && !error ? (
        <Stack role="status" aria-busy="true" aria-label="Loading your referrals">
          <Skeleton height={250} radius="lg" />
          <Skeleton height={90} radius="lg" />
        </Stack>
      ) : null}
      {referrals ? (
        <div className={classes['stack']}>
          <div className={classes['pair']}>
            <ShareLink code={referrals.code} link={referrals.link} inviteeBonus={referrals.inviteeBonus} />
            <HowItWorks referrals={referrals} />
          </div>
          <Totals referrals={referrals} />
          <InviteeList
            invitees={referrals.invitees.edges.map(({ node }) => node)}
            windowHours={referrals.windowHours}
            total={referrals.totals.invited}
            hasMore={referrals.invitees.pageInfo.hasNextPage}
            loadingMore={more.busy}
            error={more.error}
            onMore={() => void more.run()}
          />
        </div>
      ) : null}
    </>
  );
}

function HowItWorks({ referrals }: { referrals: Facts }) {
  const { referrerBonus, inviteeBonus, windowHours } = referrals;
  return (
    <section className={`panel ${classes['card']} num`} aria-labelledby="how-title">
      <Title order={2} id="how-title">
        How it works
      </Title>
      <ol className={classes['steps']}>
        <li>Somebody signs up with your link or code, and tops up for the first time.</li>
        <li>
          At that moment they get <b>{showCredits(inviteeBonus)}</b> credits on top, and you get{' '}
          <b>{showCredits(referrerBonus)}</b>.
        </li>
        <li>
          If that top-up is refunded within <b>{windowHours}</b> hours, both bonuses are taken back.
        </li>
      </ol>
    </section>
  );
}

function Totals({ referrals: { totals } }: { referrals: Facts }) {
  return (
    <dl className={`panel ${classes['totals']} num`}>
      <Total name="Earned" value={showCredits(totals.earned)} note="credits, of bonuses that stayed" />
      <Total name="Invited" value={String(totals.invited)} note="signed up with your code" />
      <Total name="Pending" value={String(totals.pending)} note="have not topped up yet" />
      <Total name="Granted" value={String(totals.granted)} note="have topped up" />
    </dl>
  );
}

function Total({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>{value}</b>
        <small>{note}</small>
      </dd>
    </div>
  );
}
