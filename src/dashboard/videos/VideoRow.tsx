import { words } from '#words/videos.js';
import { Checkbox } from '@mantine/core';
import { Link } from 'react-router';
import { showAge, showBytes, showMoment } from '../lib/format.js';
import { ProcessingProgress } from './ProcessingProgress.js';
import { selectBox } from './selectBox.js';
import { StatusBadge } from './StatusBadge.js';
import { Thumbnail } from './Thumbnail.js';
import type { Selection } from './useSelection.js';
import { useLiveVideo, type ListedVideo } from './useVideoList.js';
import classes from './VideoRow.module.css';
import { isInProgress, isWaitingForQuote, showQuality } from './words.js';

interface Props {
  readonly video: ListedVideo;
  readonly selection: Selection<ListedVideo>;
}

/** The cells of a row. Its title is the link; a click anywhere outside the checkbox follows it. */
export function VideoRow({ video: listed, selection }: Props) {
  const video = useLiveVideo(listed);
  return (
    <>
      <span role="cell" className={classes['box']}>
        <Checkbox size="xs" {...selectBox(selection, video)} />
      </span>
      <span role="cell" className={classes['video']}>
        <span className={classes['thumb']}>
          <Thumbnail video={video} />
        </span>
        <span className={classes['words']}>
          <Link to={`/videos/${video.id}`} className={classes['title']}>
            {video.title}
          </Link>
          <Under video={video} />
        </span>
      </span>
      <span role="cell" className={classes['state']}>
        {isInProgress(video) ? <ProcessingProgress video={video} /> : <StatusBadge video={video} />}
      </span>
      <span role="cell" className={`${classes['fact']} num`}>
        {/* Before the purchase, the quality is only a preference: the file may not support it. */}
        {video.quality && video.processing ? showQuality(video.quality) : '–'}
      </span>
      <span role="cell" className={`${classes['fact']} num`}>
        {video.sizeBytes === null ? '–' : showBytes(video.sizeBytes)}
      </span>
      <span role="cell" className={`${classes['fact']} num`} title={showMoment(video.createdAt)}>
        {showAge(video.createdAt)}
      </span>
    </>
  );
}

/** The owner's next step, the reason of a failure, or the tags. */
function Under({ video }: { video: ListedVideo }) {
  if (video.status === 'FAILED' && video.failure) {
    return <span className={`${classes['under']} clip`}>{video.failure.message}</span>;
  }
  const facts = [...(isWaitingForQuote(video) ? [words.videoRow.needsApproval] : []), ...video.tags];
  return facts.length === 0 ? null : <span className={`${classes['under']} clip`}>{facts.join(' · ')}</span>;
}
