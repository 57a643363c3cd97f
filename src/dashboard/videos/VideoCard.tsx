import { words } from '#words/videoStates.js';
import { useReducedMotion } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { VideoRowFragment } from '../generated/graphql.js';
import { showAge } from '../lib/format.js';
import { useMinute } from '../lib/useMinute.js';
import { ProcessingProgress } from '../processing/ProcessingProgress.js';
import { StatusBadge } from './StatusBadge.js';
import { Thumbnail } from './Thumbnail.js';
import classes from './VideoCard.module.css';
import { isInProgress, isWaitingForQuote, showQuality } from '../lib/videoStates.js';

interface Props {
  readonly video: VideoRowFragment;
  /** Over the picture's corner: a checkbox. */
  readonly corner?: ReactNode;
  readonly selected?: boolean;
}

/** A video as a picture with its title; the whole card links to its page. */
export function VideoCard({ video, corner, selected = false }: Props) {
  const [hovered, setHovered] = useState(false);
  const prefersStillness = useReducedMotion();
  useMinute();
  return (
    <article
      className={`panel ${classes['card']}`}
      data-selected={selected || undefined}
      onPointerEnter={({ pointerType }) => setHovered(pointerType !== 'touch')}
      onPointerLeave={() => setHovered(false)}
    >
      <Thumbnail video={video} moving={hovered && !prefersStillness} />
      {corner ? <span className={classes['corner']}>{corner}</span> : null}
      <div className={classes['words']}>
        <Link to={`/videos/${video.id}`} className={classes['title']} data-video-link>
          {video.title}
        </Link>
        {isInProgress(video) ? (
          <ProcessingProgress video={video} />
        ) : (
          <span className={classes['facts']}>
            <StatusBadge video={video} />
            <span className="clip">
              {isWaitingForQuote(video)
                ? words.videoCard.chooseQuality
                : [qualityOf(video), showAge(video.createdAt)].filter(Boolean).join(' · ')}
            </span>
          </span>
        )}
      </div>
    </article>
  );
}

/** Before the purchase, the quality is only a preference: the file may not support it. */
function qualityOf({ quality, processing }: VideoRowFragment): string {
  return quality && processing ? showQuality(quality) : '';
}
