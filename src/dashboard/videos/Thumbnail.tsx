import type { VideoRowFragment } from '../generated/graphql.js';
import { showDuration } from '../lib/format.js';
import { Icon } from '../parts/Icon.js';
import classes from './Thumbnail.module.css';

/** The poster or the moving preview, with the length in the corner. Decorative: the title is beside it. */
export function Thumbnail({ video, moving = false }: { video: VideoRowFragment; moving?: boolean }) {
  return (
    <span className={classes['thumb']}>
      {video.thumbnailUrl ? (
        <img src={(moving && video.previewUrl) || video.thumbnailUrl} alt="" loading="lazy" decoding="async" />
      ) : (
        <Icon name={video.quality === 'AUDIO' ? 'play' : 'videos'} size={26} />
      )}
      {video.durationSeconds === null ? null : (
        <span className={`${classes['duration']} num`}>{showDuration(video.durationSeconds)}</span>
      )}
    </span>
  );
}
