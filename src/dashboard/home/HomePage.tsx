import { words } from '#words/home.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton } from '@mantine/core';
import { Link } from 'react-router';
import { useViewer } from '../app/viewer.js';
import { HomeDocument, NewestVideosDocument } from '../generated/graphql.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { ErrorState } from '../parts/States.js';
import { BalancePanel } from './BalancePanel.js';
import { Figures } from './Figures.js';
import { FirstSteps } from './FirstSteps.js';
import classes from './HomePage.module.css';
import { MoneyNotice } from './MoneyNotice.js';
import { NeedsYou } from './NeedsYou.js';
import { Newest } from './Newest.js';
import { RunningPanel } from './RunningPanel.js';
import { StoragePanel } from './StoragePanel.js';

/** Whether all is well: what needs the owner, what is watched and spent, what is left, and what runs. */
export default function HomePage() {
  const viewer = useViewer();
  const home = useQuery(HomeDocument);
  const newest = useQuery(NewestVideosDocument);
  const { data } = home;

  return (
    <>
      <PageHead title={words.homePage.home} note={words.homePage.signedAs(viewer.name || viewer.email)}>
        <Button component={Link} to="/upload" leftSection={<Icon name="upload" size={18} />}>
          {words.homePage.upload}
        </Button>
      </PageHead>
      {!data && home.error ? (
        <div className="panel">
          <ErrorState error={home.error} onRetry={() => void home.refetch()} />
        </div>
      ) : null}
      {!data && !home.error ? <Loading /> : null}
      {data ? (
        <div className={classes['page']}>
          <MoneyNotice wallet={data.wallet} storage={data.storage} />
          <FirstSteps
            wallet={data.wallet}
            isWatched={data.recentViews.ever}
            readyId={data.ready.edges[0]?.node.id}
            videos={newest.data?.videos.edges.map(({ node }) => node)}
          />
          <NeedsYou />
          <Figures views={data.recentViews} />
          <div className={classes['pair']}>
            <BalancePanel wallet={data.wallet} />
            <StoragePanel storage={data.storage} />
          </div>
          <RunningPanel />
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
