import { words } from '#words/videos.js';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { isTestMode } from '../session/mode.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, ErrorState } from '../parts/States.js';
import { UploadLink } from '../parts/UploadLink.js';
import { ColumnsMenu } from './list/ColumnsMenu.js';
import { useColumns } from './list/useColumns.js';
import { useRowKeys } from './list/useRowKeys.js';
import classes from './ListToolbar.module.css';
import { ListToolbar } from './ListToolbar.js';
import { SelectionBar } from './SelectionBar.js';
import { useListView } from './useListView.js';
import { useNarrowing } from './useNarrowing.js';
import { useSelection } from './useSelection.js';
import { useVideoList, type ListedVideo, type VideoList } from './useVideoList.js';
import { VideoGrid } from './VideoGrid.js';
import { ListSkeleton, VideoTable } from './VideoTable.js';

const NONE: readonly ListedVideo[] = [];

/** All videos: search, filters, and actions on several at once. */
export default function VideosPage() {
  const { narrowing, narrow, showAll, isNarrowed } = useNarrowing();
  const [view, setView] = useListView();
  const columns = useColumns();
  const isTable = view === 'table';
  const list = useVideoList(narrowing, {
    withPlays: isTable && columns.shown.includes('plays'),
    withCost: isTable && columns.shown.includes('cost'),
  });
  useRowKeys();
  const selection = useSelection(list.videos ?? NONE);
  // The fields begin anew, so that what was typed last and is not searched yet is gone, too.
  const [replaced, setReplaced] = useState(0);

  return (
    <>
      <PageHead title={words.videosPage.videos} note={noteOf(list, isNarrowed)}>
        {isTestMode ? null : (
          <Button component={Link} to="/videos/bin" variant="default" leftSection={<Icon name="trash" size={17} />}>
            {words.videosPage.bin}
          </Button>
        )}
        <UploadLink>{words.videosPage.upload}</UploadLink>
      </PageHead>
      <ListToolbar
        key={replaced}
        narrowing={narrowing}
        onNarrow={narrow}
        onReplace={() => setReplaced(replaced + 1)}
        view={view}
        onView={setView}
      >
        {isTable ? <ColumnsMenu columns={columns.shown} onColumn={columns.choose} /> : null}
      </ListToolbar>
      {!list.videos && list.error ? <ErrorState error={list.error} onRetry={list.reload} /> : null}
      {!list.videos && !list.error ? <ListSkeleton /> : null}
      {list.videos?.length === 0 && !list.hasMore ? (
        <NoVideos
          isNarrowed={isNarrowed}
          onShowAll={() => {
            setReplaced(replaced + 1);
            showAll();
          }}
        />
      ) : null}
      {list.videos && (list.videos.length > 0 || list.hasMore) ? (
        view === 'grid' ? (
          <VideoGrid list={list} selection={selection} />
        ) : (
          <VideoTable
            list={list}
            selection={selection}
            columns={columns}
            sort={narrowing.sort}
            onSort={(sort) => narrow('sort', sort)}
          />
        )
      ) : null}
      {list.videos && list.missed > 0 ? (
        <p className={classes['missed']} role="status">
          {words.videosPage.missed(list.missed)}
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              list.reload();
              scrollTo(0, 0);
            }}
          >
            {words.videosPage.loadAgain}
          </Button>
        </p>
      ) : null}
      {list.videos && list.videos.length > 0 ? <p className={classes['keys']}>{words.videosPage.keys}</p> : null}
      <SelectionBar selection={selection} />
    </>
  );
}

function NoVideos({ isNarrowed, onShowAll }: { isNarrowed: boolean; onShowAll: () => void }) {
  return (
    <div className="panel">
      {isNarrowed ? (
        <EmptyState
          icon="search"
          title={words.videosPage.noMatchingVideos}
          advice={words.videosPage.tryFewerWordsAnother}
        >
          <Button variant="default" onClick={onShowAll}>
            {words.videosPage.showAllVideos}
          </Button>
        </EmptyState>
      ) : (
        <EmptyState icon="videos" title={words.videosPage.firstVideo} advice={words.videosPage.uploadFileSeePrice}>
          <UploadLink>{words.videosPage.uploadVideo}</UploadLink>
        </EmptyState>
      )}
    </div>
  );
}

/** An empty line until the number is known, so that nothing below moves. */
function noteOf({ total, videos }: VideoList, isNarrowed: boolean): string | undefined {
  if (total !== null) return showTotal(total, isNarrowed);
  return videos ? undefined : '\u00a0';
}

function showTotal(total: number, isNarrowed: boolean): string {
  return isNarrowed ? words.videosPage.match(total) : words.videosPage.count(total);
}
