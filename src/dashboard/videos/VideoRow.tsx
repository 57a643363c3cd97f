import { words } from '#words/videos.js';
import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'react-router';
import { showCredits } from '../lib/credits.js';
import { showAge, showBytes, showDuration, showMoment, showNumber } from '../lib/format.js';
import { useMinute } from '../lib/useMinute.js';
import type { Column } from './list/useColumns.js';
import { ProcessingProgress } from '../processing/ProcessingProgress.js';
import { selectBox } from './selectBox.js';
import { StatusBadge } from './StatusBadge.js';
import { Thumbnail } from './Thumbnail.js';
import type { Selection } from './useSelection.js';
import { useLiveVideo, type ListedVideo } from './useVideoList.js';
import classes from './VideoRow.module.css';
import { isInProgress, isWaitingForQuote, showQuality } from '../lib/videoStates.js';

type FactColumn = Exclude<Column, 'status'>;
/** What a phone, whose list has no headers, names: their numbers alone could be anything. */
const NAMED: ReadonlySet<FactColumn> = new Set(['plays', 'cost', 'added']);

interface Props {
  readonly video: ListedVideo;
  readonly selection: Selection<ListedVideo>;
  readonly columns: readonly Column[];
}

/** The cells of a row. Its title is the link; a click anywhere outside the checkbox follows it. */
export const VideoRow = memo(function VideoRow({ video: listed, selection, columns }: Props) {
  const video = useLiveVideo(listed);
  useMinute();
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
          <Link to={`/videos/${video.id}`} className={classes['title']} data-video-link>
            {video.title}
          </Link>
          <Under video={video} />
        </span>
      </span>
      {columns.includes('status') ? (
        <span role="cell" className={classes['state']} data-column="status">
          {isInProgress(video) ? <ProcessingProgress video={video} /> : <StatusBadge video={video} />}
        </span>
      ) : null}
      <span className={classes['facts']}>
        {columns.map((column) => (column === 'status' ? null : <Fact key={column} video={video} column={column} />))}
      </span>
    </>
  );
});

function Fact({ video, column }: { video: ListedVideo; column: FactColumn }) {
  const fact = factOf(video, column);
  return (
    <span
      role="cell"
      className={`${classes['fact']} num`}
      data-column={column}
      data-empty={fact === null || undefined}
      title={column === 'added' ? showMoment(video.createdAt) : undefined}
    >
      {NAMED.has(column) ? <i>{words.videoRow.nameOf(words.columns[column])}</i> : null}
      {fact ?? '–'}
    </span>
  );
}

/** Null where there is nothing to say yet. */
function factOf(video: ListedVideo, column: FactColumn): string | null {
  switch (column) {
    case 'quality':
      // Before the purchase, the quality is only a preference: the file may not support it.
      return video.quality && video.processing ? showQuality(video.quality) : null;
    case 'length':
      return video.durationSeconds === null ? null : showDuration(video.durationSeconds);
    case 'size':
      return video.sizeBytes === null ? null : showBytes(video.sizeBytes);
    case 'plays':
      return video.recentPlays === undefined ? null : showNumber(video.recentPlays);
    case 'cost':
      return video.cost === undefined ? null : showCredits(video.cost);
    case 'added':
      return showAge(video.createdAt);
  }
}

/** The owner's next step, the reason of a failure, or the tags. */
function Under({ video }: { video: ListedVideo }) {
  if (video.status === 'FAILED' && video.failure) {
    return <span className={`${classes['under']} clip`}>{video.failure.message}</span>;
  }
  const facts = [...(isWaitingForQuote(video) ? [words.videoRow.needsApproval] : []), ...video.tags];
  return facts.length === 0 ? null : <span className={`${classes['under']} clip`}>{facts.join(' · ')}</span>;
}
