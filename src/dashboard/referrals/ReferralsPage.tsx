import { words } from '#words/referrals.js';
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

/** The account's referral code, its bonus, and the invitees. */
export default function ReferralsPage() {
  const { data, error, fetchMore, refetch } = useQuery(ReferralsDocument, { variables: { first: PAGE } });
  const referrals = data?.referrals;
  const more = useAction(() => fetchMore({ variables: { after: referrals?.invitees.pageInfo.endCursor } }));

  return (
    <>
      <PageHead title={words.page.title} note={words.page.note} />
      {error && !referrals ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!referrals && !error ? (
        <Stack role="status" aria-busy="true" aria-label={words.page.loading}>
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
        {words.how.title}
      </Title>
      <ol className={classes['steps']}>
        <li>{words.how.signUp}</li>
        <li>{words.how.bonuses(<b>{showCredits(inviteeBonus)}</b>, <b>{showCredits(referrerBonus)}</b>)}</li>
        <li>{words.how.refund(<b>{windowHours}</b>)}</li>
      </ol>
    </section>
  );
}

function Totals({ referrals: { totals } }: { referrals: Facts }) {
  return (
    <dl className={`panel ${classes['totals']} num`}>
      <Total name={words.totals.earned} value={showCredits(totals.earned)} note={words.totals.earnedNote} />
      <Total name={words.totals.invited} value={String(totals.invited)} note={words.totals.invitedNote} />
      <Total name={words.totals.pending} value={String(totals.pending)} note={words.totals.pendingNote} />
      <Total name={words.totals.granted} value={String(totals.granted)} note={words.totals.grantedNote} />
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
