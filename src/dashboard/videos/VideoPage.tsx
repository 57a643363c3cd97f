import { words } from '#words/video.js';
import { useApolloClient, useQuery } from '@apollo/client/react';
import { Button, Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { VideoDocument } from '../generated/graphql.js';
import { showMoment } from '../lib/format.js';
import { ExplainPlayback } from '../playback/ExplainPlayback.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, ErrorState } from '../parts/States.js';
import { DetailsForm } from './DetailsForm.js';
import { Embed } from './Embed.js';
import { NextStep } from './NextStep.js';
import { moveToBinOrSay, mustAsk } from './deletedVideos.js';
import { isPlay, playerMoment, type PlayerMoment } from './pagePlayer.js';
import { PosterChooser } from './PosterChooser.js';
import { PreviewPlayer } from './PreviewPlayer.js';
import { Renditions } from './Renditions.js';
import { StatusBadge } from './StatusBadge.js';
import { VideoCaptions } from './captions/VideoCaptions.js';
import classes from './VideoPage.module.css';
import type { VideoDetails } from './videoDetails.js';

const DeleteDialog = lazy(() => import('./DeleteDialog.js'));
// Its charts load beside the page.
const VideoAnalytics = lazy(() => import('../analytics/VideoAnalytics.js'));

export default function VideoPage() {
  const { id = '' } = useParams();
  const { data, error, refetch } = useQuery(VideoDocument, { variables: { id } });

  if (data?.video) return <Details key={data.video.id} video={data.video} />;
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

function Details({ video }: { video: VideoDetails }) {
  const navigate = useNavigate();
  const client = useApolloClient();
  const { state } = useLocation();
  const [deleting, setDeleting] = useState(false);
  const [player, setPlayer] = useState<{ count: number; moment: PlayerMoment | null }>({
    count: 0,
    moment: isPlay(state) ? { seconds: 0, plays: true } : null,
  });

  /** A player reads a video's captions and chapters once: replace it, so that changes show. */
  function renewPlayer(): void {
    const moment = playerMoment();
    if (moment) setPlayer(({ count }) => ({ count: count + 1, moment }));
  }

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
        note={
          <span className={classes['note']}>
            {words.videoPage.uploaded(<StatusBadge video={video} />, showMoment(video.createdAt))}
          </span>
        }
      >
        <Button variant="default" leftSection={<Icon name="trash" size={17} />} onClick={remove}>
          {words.videoPage.deleteIt}
        </Button>
      </PageHead>
      <Suspense fallback={null}>
        {deleting ? <DeleteDialog videos={[video]} onClose={() => setDeleting(false)} onDeleted={leave} /> : null}
      </Suspense>
      <div className={classes['columns']}>
        <Stack gap="lg">
          <NextStep video={video} />
          {video.playableRungs.length > 0 ? (
            <PreviewPlayer key={player.count} video={video} moment={player.moment} />
          ) : null}
          <Embed video={video} />
          <DetailsForm video={video} />
          <VideoCaptions videoId={video.id} isMade={video.playableRungs.length > 0} onChanged={renewPlayer} />
          {video.playableRungs.length > 0 ? (
            <Suspense fallback={<Skeleton height={300} radius="lg" />}>
              <VideoAnalytics videoId={video.id} durationSeconds={video.durationSeconds} />
            </Suspense>
          ) : null}
          <ExplainPlayback video={video} className={`panel ${classes['card']}`} />
        </Stack>
        <Stack gap="lg">
          <Renditions video={video} />
          {video.playableRungs.length > 0 ? <PosterChooser video={video} /> : null}
        </Stack>
      </div>
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
