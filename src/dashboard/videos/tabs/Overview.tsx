import { words } from '#words/video.js';
import { Anchor, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Suspense, type RefObject } from 'react';
import { Link } from 'react-router';
import { isTestMode } from '../../session/mode.js';
import { showBytes, showDuration } from '../../lib/format.js';
import { lazy, lazyLater } from '../../lib/lazy.js';
import { Changes } from '../../parts/Changes.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { Icon } from '../../parts/Icon.js';
import type { DetailsDraft } from '../DetailsForm.js';
import type { PlayerMoment } from '../pagePlayer.js';
import { PreviewPlayer } from '../PreviewPlayer.js';
import classes from '../VideoPage.module.css';
import type { VideoDetails } from '../videoDetails.js';
import { tabPath } from './VideoTabs.js';

// Most videos are ready.
const NextStep = lazy(() => import('../NextStep.js'));
// A phone shows the player first.
const DetailsForm = lazyLater(() => import('../DetailsForm.js'), <Loading heightPx={410} />);
const Activity = lazyLater(() => import('./Activity.js'), <Loading heightPx={140} />);
const EmbedPreview = lazyLater(() => import('./EmbedPreview.js'), <Loading heightPx={90} />);
const PosterChooser = lazyLater(() => import('../PosterChooser.js'), <Loading heightPx={280} />);
const VideoAnalytics = lazyLater(() => import('../../analytics/VideoAnalytics.js'), <Loading heightPx={300} />);

interface Props {
  readonly video: VideoDetails;
  readonly momentRef: RefObject<PlayerMoment | null>;
  /** Details that were typed and not saved. */
  readonly draft: DetailsDraft | null;
  readonly onDraft: (draft: DetailsDraft | null) => void;
}

/** What the video is, how it does, and what there is to do. */
export function Overview({ video, momentRef, draft, onDraft }: Props) {
  const plays = video.playableRungs.length > 0;
  return (
    <div className={`${classes['columns']} ${classes['settling']}`}>
      <Stack gap="lg">
        {video.status === 'READY' && !video.failure ? null : (
          <Suspense fallback={<Skeleton height={140} radius="lg" />}>
            <Changes>
              <NextStep video={video} />
            </Changes>
          </Suspense>
        )}
        {plays ? <PreviewPlayer video={video} momentRef={momentRef} /> : null}
        {plays ? <VideoAnalytics videoId={video.id} durationSeconds={video.durationSeconds} /> : null}
        <Changes>
          <DetailsForm video={video} draft={draft} onDraft={onDraft} />
        </Changes>
        <Activity videoId={video.id} />
      </Stack>
      <Stack gap="lg">
        <Media video={video} />
        {plays ? <EmbedCard video={video} /> : null}
        {plays ? (
          <Changes>
            <PosterChooser video={video} />
          </Changes>
        ) : null}
      </Stack>
    </div>
  );
}

function Loading({ heightPx }: { heightPx: number }) {
  return <Skeleton height={heightPx} radius="lg" aria-busy="true" data-unsettled />;
}

/** Why subtitles of the file are not in the video. */
function noteOf({ pictureSubtitles: tracks }: VideoDetails): string | undefined {
  return tracks === 0 ? undefined : words.media.textNotImportedUpload(tracks);
}

/** HDR is the only property that is converted, so it is mentioned. */
function pictureOf({ width, height, isHdr }: VideoDetails): string | undefined {
  return width && height ? `${width} × ${height}${isHdr ? words.media.hdrProcessedAsSdr : ''}` : undefined;
}

/** Facts about the source. */
function Media({ video }: { video: VideoDetails }) {
  const facts: [string, string | undefined][] = [
    [words.media.length, video.durationSeconds === null ? undefined : showDuration(video.durationSeconds)],
    [words.media.picture, pictureOf(video)],
    [words.media.file, video.sizeBytes === null ? undefined : showBytes(video.sizeBytes)],
    [words.media.subtitles, noteOf(video)],
  ];
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="media-title">
      <Title order={2} id="media-title">
        {words.media.media}
      </Title>
      <dl className={`${classes['facts']} num`}>
        {facts.map(([name, value]) =>
          value ? (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      {video.sizeBytes === null || !video.measured ? null : (
        <Group>
          <DownloadButton
            size="xs"
            variant="default"
            leftSection={<Icon name="download" size={15} />}
            href={`/documents/videos/${video.id}/original${isTestMode ? '?mode=test' : ''}`}
          >
            {words.media.downloadSource}
          </DownloadButton>
        </Group>
      )}
    </section>
  );
}

/** The shortest way into a page; the tab has the rest. */
function EmbedCard({ video }: { video: VideoDetails }) {
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="embed-title">
      <Title order={2} id="embed-title">
        {words.embed.embed}
      </Title>
      <EmbedPreview video={video} />
      <Text size="sm">
        <Anchor component={Link} to={tabPath(video.id, 'embed')} inherit>
          {words.embed.codeForViewers}
        </Anchor>
      </Text>
    </section>
  );
}
