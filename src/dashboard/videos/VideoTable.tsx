import { words } from '#words/videos.js';
import { Checkbox, Skeleton } from '@mantine/core';
import { WindowedList } from '../parts/WindowedList.js';
import type { Selection } from './useSelection.js';
import type { ListedVideo, VideoList } from './useVideoList.js';
import { VideoRow } from './VideoRow.js';
import classes from './VideoRow.module.css';

const ROW_PX = 76;

interface Props {
  readonly list: VideoList;
  readonly selection: Selection<ListedVideo>;
}

/** The list as rows, to compare videos. */
export function VideoTable({ list, selection }: Props) {
  const videos = list.videos ?? [];
  const isAll = selection.selected.length > 0 && selection.selected.length === videos.length;
  return (
    <div
      className={`panel ${classes['table']}`}
      role="table"
      aria-label={words.videoTable.videos}
      aria-rowcount={list.total === null ? -1 : list.total + 1}
    >
      <div role="rowgroup">
        <div className={`${classes['row']} ${classes['head']}`} role="row" aria-rowindex={1}>
          <span role="columnheader">
            <Checkbox
              size="xs"
              aria-label={words.videoTable.selectAllShownVideos}
              checked={isAll}
              indeterminate={!isAll && selection.selected.length > 0}
              onChange={() => (isAll ? selection.clear() : selection.selectAll())}
            />
          </span>
          <span role="columnheader">{words.videoTable.video}</span>
          <span role="columnheader">{words.videoTable.status}</span>
          <span role="columnheader">{words.videoTable.quality}</span>
          <span role="columnheader">{words.videoTable.size}</span>
          <span role="columnheader">{words.videoTable.added}</span>
        </div>
      </div>
      <WindowedList
        items={videos}
        keyOf={({ id }) => id}
        label={words.videoTable.videos}
        role="rowgroup"
        estimatePx={ROW_PX}
        total={list.total}
        hasMore={list.hasMore}
        loadingMore={list.loadingMore}
        onMore={list.loadMore}
        error={list.moreError}
        itemClassName={classes['row']}
        render={(video) => <VideoRow video={video} selection={selection} />}
      />
    </div>
  );
}

export function ListSkeleton() {
  return (
    <div
      className={`panel ${classes['table']}`}
      role="status"
      aria-busy="true"
      aria-label={words.videoTable.loadingVideos}
    >
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <div key={key} className={classes['skeleton']}>
          <Skeleton height={54} width={96} />
          <div>
            <Skeleton height={14} width="45%" />
            <Skeleton height={11} width="25%" mt={8} />
          </div>
        </div>
      ))}
    </div>
  );
}
