import { Skeleton } from '@mantine/core';
import { Link } from 'react-router';
import type { VideoRowFragment } from '../generated/graphql.js';
import { showAge, showBytes, showDuration } from '../lib/format.js';
import { Icon } from '../parts/Icon.js';
import { ProcessingProgress } from './ProcessingProgress.js';
import { StatusBadge } from './StatusBadge.js';
import classes from './VideoRow.module.css';
import { isWaitingForQuote, showQuality } from './words.js';

export function VideoRow({ video }: { video: VideoRowFragment }) {
  const facts = [
    // Before it is bought, the quality is a wish: the file may be worth less.
    video.quality && video.processing ? showQuality(video.quality) : undefined,
    video.sizeBytes === null ? undefined : showBytes(video.sizeBytes),
    showAge(video.createdAt),
  ].filter(Boolean);

  return (
    <li className={classes['row']}>
      <Thumbnail video={video} />
      <div className={classes['words']}>
        <Link to={`/videos/${video.id}`} className={classes['title']}>
          {video.title}
        </Link>
        <span className={`${classes['facts']} num`}>{facts.join(' · ')}</span>
      </div>
      <div className={classes['state']}>
        {video.status === 'PROCESSING' || video.status === 'QUEUED' ? (
          <ProcessingProgress video={video} />
        ) : (
          <StatusBadge video={video} />
        )}
        <Advice video={video} />
      </div>
    </li>
  );
}

/** The owner's next step, or why there is none. */
function Advice({ video }: { video: VideoRowFragment }) {
  if (video.status === 'FAILED' && video.failure) {
    return <span className={`${classes['facts']} ${classes['reason']}`}>{video.failure.message}</span>;
  }
  if (isWaitingForQuote(video)) return <span className={classes['facts']}>Choose a quality to go on</span>;
  return null;
}

export function Thumbnail({ video }: { video: VideoRowFragment }) {
  return (
    <span className={classes['thumb']}>
      {video.thumbnailUrl ? (
        <img src={video.thumbnailUrl} alt="" loading="lazy" decoding="async" />
      ) : (
        <Icon name={video.quality === 'AUDIO' ? 'play' : 'videos'} size={26} />
      )}
      {video.durationSeconds === null ? null : (
        <span className={`${classes['duration']} num`}>{showDuration(video.durationSeconds)}</span>
      )}
    </span>
  );
}

export function VideoRowSkeleton() {
  return (
    <div className={classes['row']}>
      <span className={classes['thumb']} />
      <div className={classes['words']}>
        <Skeleton height={14} width="55%" />
        <Skeleton height={11} width="35%" mt={8} />
      </div>
      <div className={classes['state']}>
        <Skeleton height={20} width={72} />
      </div>
    </div>
  );
}
