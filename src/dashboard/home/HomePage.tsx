import { words } from '#words/home.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { useConnectionLost } from '../session/connection.js';
import { useViewer } from '../session/viewer.js';
import { HomeDocument, NewestVideosDocument } from '../generated/graphql.js';
import { lazy } from '../lib/lazy.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { ErrorState } from '../parts/States.js';
import { UploadLink } from '../parts/UploadLink.js';
import { BalancePanel } from './BalancePanel.js';
import { Figures } from './Figures.js';
import { FirstSteps } from './FirstSteps.js';
import classes from './HomePage.module.css';
import { moneyProblemOf } from './moneyProblem.js';
import { Newest } from './Newest.js';
import { useRunningJobs } from './RunningJobs.js';
import { StoragePanel } from './StoragePanel.js';
import { useNeeds } from './useNeeds.js';

// Most owners see them seldom, so the first view does not load them.
const MoneyNotice = lazy(() => import('./MoneyNotice.js'));
const NeedsYou = lazy(() => import('./NeedsYou.js'));
const RunningPanel = lazy(() => import('./RunningPanel.js'));

/** Whether all is well: what needs the owner, what is watched and spent, what is left, and what runs. */
export default function HomePage() {
  const home = useQuery(HomeDocument);
  const newest = useQuery(NewestVideosDocument);
  const needs = useNeeds();
  const running = useRunningJobs();
  const { data } = home;
  const problem = data ? moneyProblemOf(data) : null;
  const { emailVerified, account } = useViewer();
  const isLost = useConnectionLost();
  // The frame of the page says that an account is suspended, and the first steps ask for the email address.
  const count =
    isLost || !data || !needs
      ? undefined
      : needs.count + Number(problem !== null) + Number(!emailVerified) + Number(account.suspended);
  const asksForEmail = !emailVerified && data?.recentViews.ever === true;

  return (
    <>
      <PageHead title={words.homePage.home} note={<AllIsWell needsYou={count} />}>
        <UploadLink>{words.homePage.upload}</UploadLink>
      </PageHead>
      {!data && home.error ? (
        <div className="panel">
          <ErrorState error={home.error} onRetry={() => void home.refetch()} />
        </div>
      ) : null}
      {!data && !home.error ? <Loading /> : null}
      {data ? (
        <div className={classes['page']}>
          {problem ? (
            <Suspense fallback={<Skeleton height={118} radius="md" />}>
              <MoneyNotice problem={problem} wallet={data.wallet} storage={data.storage} />
            </Suspense>
          ) : null}
          <FirstSteps
            wallet={data.wallet}
            isWatched={data.recentViews.ever}
            readyId={data.ready.edges[0]?.node.id}
            videos={newest.data?.videos.edges.map(({ node }) => node)}
          />
          {needs && (needs.count > 0 || asksForEmail) ? (
            <Suspense fallback={<Skeleton height={linesPx(needs.count + Number(asksForEmail))} radius="lg" />}>
              <NeedsYou needs={needs} asksForEmail={asksForEmail} />
            </Suspense>
          ) : null}
          <Figures views={data.recentViews} />
          {data.storage.bytes === 0 ? (
            <BalancePanel wallet={data.wallet} />
          ) : (
            <div className={classes['pair']}>
              <BalancePanel wallet={data.wallet} />
              <StoragePanel storage={data.storage} />
            </div>
          )}
          {running.videos?.length || running.error ? (
            <Suspense fallback={<Skeleton height={linesPx(running.count)} radius="lg" />}>
              <RunningPanel {...running} />
            </Suspense>
          ) : null}
          <Newest
            videos={newest.data?.videos.edges.map(({ node }) => node)}
            error={newest.error}
            onRetry={() => void newest.refetch()}
          />
        </div>
      ) : null}
    </>
  );
}

/** About the height of a panel with a title and so many lines, so that what is below it does not move when it comes. */
function linesPx(lines: number): number {
  return 56 + 62 * Math.min(lines, 5);
}

/** Yes or no, before anything else is read. Until it is known, the place of the usual words is kept. */
function AllIsWell({ needsYou }: { needsYou: number | undefined }) {
  if (needsYou === undefined) {
    return (
      <span className={classes['health']} style={{ visibility: 'hidden' }}>
        <Icon name="check" size={16} />
        {words.homePage.allIsWell}
      </span>
    );
  }
  const isWell = needsYou === 0;
  return (
    <span role="status" className={classes['health']} data-well={isWell}>
      <Icon name={isWell ? 'check' : 'alert'} size={16} />
      {isWell ? words.homePage.allIsWell : words.homePage.needYou(needsYou)}
    </span>
  );
}

function Loading() {
  return (
    <div className={classes['page']} role="status" aria-busy="true" aria-label={words.homePage.loading}>
      <Skeleton height={86} radius="lg" />
      <div className={classes['pair']}>
        <Skeleton height={196} radius="lg" />
        <Skeleton height={196} radius="lg" />
      </div>
      <Skeleton height={220} radius="lg" />
    </div>
  );
}
