import { words } from '#words/home.js';
import { Skeleton } from '@mantine/core';
import { Link } from 'react-router';
import type { VideoRowFragment } from '../generated/graphql.js';
import { ErrorState } from '../parts/States.js';
import { VideoCard } from '../videos/VideoCard.js';
import classes from './HomePage.module.css';

const SHOWN = 6;

interface Props {
  /** Undefined until the first response. */
  readonly videos: readonly VideoRowFragment[] | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** The newest videos. Empty if there are none: then the first steps say what to do. */
export function Newest({ videos, error, onRetry }: Props) {
  if (videos?.length === 0) return null;
  return (
    <section aria-labelledby="newest-title">
      <div className={classes['cardHead']}>
        <h2 id="newest-title">{words.newest.newestVideos}</h2>
        <Link to="/videos" className={classes['quiet']}>
          {words.newest.allVideos}
        </Link>
      </div>
      {!videos && error ? <ErrorState error={error} onRetry={onRetry} /> : null}
      {!videos && !error ? (
        <div className={classes['newest']} role="status" aria-busy="true" aria-label={words.newest.loadingNewestVideos}>
          {['a', 'b', 'c'].map((key) => (
            <Skeleton key={key} height={210} radius="lg" />
          ))}
        </div>
      ) : null}
      {videos ? (
        <ul className={classes['newest']}>
          {videos.slice(0, SHOWN).map((video) => (
            <li key={video.id}>
              <VideoCard video={video} />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}
