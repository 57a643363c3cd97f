import { words } from '#words/video.js';
import { useApolloClient, useQuery } from '@apollo/client/react';
import { Button, Skeleton } from '@mantine/core';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { VideoDocument } from '../generated/graphql.js';
import { showMoment } from '../lib/format.js';
import { lazy } from '../lib/lazy.js';
import { Changes } from '../parts/Changes.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, ErrorState, PageLoading } from '../parts/States.js';
import { moveToBinOrSay, mustAsk } from './deletedVideos.js';
import type { DetailsDraft } from './DetailsForm.js';
import { isPlay } from '../lib/playLink.js';
import type { PlayerMoment } from './pagePlayer.js';
import { StatusBadge } from './StatusBadge.js';
import { Overview } from './tabs/Overview.js';
import { isVideoTab, type VideoTab, VideoTabs } from './tabs/VideoTabs.js';
import classes from './VideoPage.module.css';
import type { VideoDetails } from './videoDetails.js';

const DeleteDialog = lazy(() => import('./DeleteDialog.js'));
// Overview is what most visits see. The code of the other tabs loads when they are opened.
const CaptionsTab = lazy(() => import('./tabs/CaptionsTab.js'));
const Embed = lazy(() => import('./tabs/Embed.js'));
const Encoding = lazy(() => import('./tabs/Encoding.js'));
const NotFound = lazy(() => import('../parts/NotFoundPage.js'));

export default function VideoPage() {
  const { id = '', tab = 'overview' } = useParams();
  const { data, error, refetch } = useQuery(VideoDocument, { variables: { id } });

  if (!isVideoTab(tab)) {
    return (
      <Suspense fallback={<PageLoading />}>
        <NotFound />
      </Suspense>
    );
  }
  if (data?.video) return <Details key={data.video.id} video={data.video} tab={tab} />;
  if (error) return <ErrorState isPage error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <EmptyState isPage icon="videos" title={words.videoPage.videoNotFound} advice={words.videoPage.mayHaveBeenDeleted}>
      <Button component={Link} to="/videos" variant="default">
        {words.videoPage.goVideos}
      </Button>
    </EmptyState>
  );
}

function Details({ video, tab }: { video: VideoDetails; tab: VideoTab }) {
  const navigate = useNavigate();
  const client = useApolloClient();
  const { state } = useLocation();
  const [deleting, setDeleting] = useState(false);
  // What other tabs must not lose: unsaved details, and where the player was.
  const [draft, setDraft] = useState<DetailsDraft | null>(null);
  const momentRef = useRef<PlayerMoment | null>(isPlay(state) ? { seconds: 0, plays: true } : null);

  useEffect(() => {
    // Playing does not begin by itself when the reader comes back from a tab without a player.
    if ((tab === 'embed' || tab === 'encoding') && momentRef.current)
      momentRef.current = { ...momentRef.current, plays: false };
  }, [tab]);

  const leave = (): void => void navigate('/videos');

  function remove(): void {
    if (mustAsk(video)) return setDeleting(true);
    void moveToBinOrSay(client, [video]);
    leave();
  }

  return (
    <>
      <Link to="/videos" className={classes['back']}>
        {words.videoPage.videos(<Icon name="back" size={17} />)}
      </Link>
      <PageHead
        title={video.title}
        part={tab === 'overview' ? undefined : words.tabs[tab]}
        note={
          <span className={classes['note']}>
            {words.videoPage.uploaded(<StatusBadge video={video} />, showMoment(video.createdAt))}
          </span>
        }
      >
        <Changes>
          <Button variant="default" leftSection={<Icon name="trash" size={17} />} onClick={remove}>
            {words.videoPage.deleteIt}
          </Button>
        </Changes>
      </PageHead>
      <Suspense fallback={null}>
        {deleting ? <DeleteDialog videos={[video]} onClose={() => setDeleting(false)} onDeleted={leave} /> : null}
      </Suspense>
      <VideoTabs videoId={video.id} tab={tab}>
        <Suspense fallback={<PageLoading />}>
          {tab === 'overview' ? (
            <Overview video={video} momentRef={momentRef} draft={draft} onDraft={setDraft} />
          ) : null}
          {tab === 'captions' ? <CaptionsTab video={video} momentRef={momentRef} /> : null}
          {tab === 'embed' ? <Embed video={video} /> : null}
          {tab === 'encoding' ? <Encoding video={video} /> : null}
        </Suspense>
      </VideoTabs>
    </>
  );
}

function Loading() {
  return (
    <div role="status" aria-busy="true" aria-label={words.videoPage.loadingVideo}>
      <Skeleton height={28} width="40%" mb="xl" />
      <div className={classes['columns']}>
        <Skeleton height={320} radius="lg" />
        <Skeleton height={220} radius="lg" />
      </div>
    </div>
  );
}
