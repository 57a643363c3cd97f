import { words } from '#words/captions.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton } from '@mantine/core';
import { VideoCaptionsDocument } from '../../generated/graphql.js';
import { ErrorState } from '../../parts/States.js';
import page from '../VideoPage.module.css';
import { Captions } from './Captions.js';
import { Chapters } from './Chapters.js';

interface Props {
  readonly videoId: string;
  /** A rendition plays, so the file's own captions have been imported. */
  readonly isMade: boolean;
  /** Viewers now see something else. */
  readonly onChanged: () => void;
}

/** Captions and chapters of a video. */
export function VideoCaptions({ videoId, isMade, onChanged }: Props) {
  const { data, error, refetch } = useQuery(VideoCaptionsDocument, { variables: { id: videoId } });
  if (data?.video) {
    return (
      <>
        <Captions videoId={videoId} isMade={isMade} captions={data.video.captions} onChanged={onChanged} />
        <Chapters
          videoId={videoId}
          isMade={isMade}
          chapters={data.video.chapters}
          durationSeconds={data.video.durationSeconds}
          onChanged={onChanged}
        />
      </>
    );
  }
  if (error) {
    return (
      <section className={`panel ${page['card']}`} aria-label={words.videoCaptions.captionsChapters}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </section>
    );
  }
  // Empty: the video was deleted meanwhile, and the page says so.
  return data ? null : (
    <Skeleton
      height={120}
      radius="lg"
      role="status"
      aria-busy="true"
      aria-label={words.videoCaptions.loadingCaptionsChapters}
    />
  );
}
