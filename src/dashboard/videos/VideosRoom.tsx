import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { VideoSort, VideoStatus } from '../generated/graphql.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, ErrorState } from '../parts/States.js';
import { useVideoList } from './useVideoList.js';
import { VideoRow, VideoRowSkeleton } from './VideoRow.js';
import classes from './VideoRow.module.css';
import { STATUS } from './words.js';

const TYPING_MS = 250;
const SORTS: readonly { value: VideoSort; label: string }[] = [
  { value: 'NEWEST', label: 'Newest first' },
  { value: 'OLDEST', label: 'Oldest first' },
  { value: 'TITLE', label: 'By title' },
];
const STATUSES = Object.entries(STATUS).map(([value, { label }]) => ({ value, label }));

/** The list. What it is narrowed to stands in the address, so that going back finds it as it was. */
export default function VideosRoom() {
  const [search, setSearch] = useSearchParams();
  const status = asStatus(search.get('status'));
  const sort = SORTS.find(({ value }) => value === search.get('sort'))?.value ?? 'NEWEST';
  const q = search.get('q') ?? '';
  const [typed, setTyped] = useState(q);

  function narrow(name: string, value: string): void {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  }
  const searchFor = useDebouncedCallback((words: string) => narrow('q', words.trim()), TYPING_MS);

  const list = useVideoList({ status, q, sort });
  const narrowed = status !== null || q !== '';

  return (
    <>
      <PageHead title="Videos" note={list.total === null ? undefined : showTotal(list.total, narrowed)}>
        <Button component={Link} to="/upload" leftSection={<Icon name="upload" size={18} />}>
          Upload
        </Button>
      </PageHead>
      <Group gap="xs" mb="md" role="search">
        <TextInput
          aria-label="Search by title"
          placeholder="Search by title"
          type="search"
          leftSection={<Icon name="search" size={17} />}
          className={classes['search'] ?? ''}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            searchFor(event.currentTarget.value);
          }}
        />
        <NativeSelect
          aria-label="Status"
          className={classes['select'] ?? ''}
          value={status ?? ''}
          data={[{ value: '', label: 'Every status' }, ...STATUSES]}
          onChange={(event) => narrow('status', event.currentTarget.value)}
        />
        <NativeSelect
          aria-label="Order"
          className={classes['select'] ?? ''}
          value={sort}
          data={[...SORTS]}
          onChange={(event) => narrow('sort', event.currentTarget.value === 'NEWEST' ? '' : event.currentTarget.value)}
        />
      </Group>
      <Rows list={list} narrowed={narrowed} onShowAll={() => (setTyped(''), setSearch({}, { replace: true }))} />
    </>
  );
}

interface RowsProps {
  readonly list: ReturnType<typeof useVideoList>;
  readonly narrowed: boolean;
  readonly onShowAll: () => void;
}

function Rows({ list, narrowed, onShowAll }: RowsProps) {
  if (list.error && !list.videos) return <ErrorState error={list.error} onRetry={list.reload} />;
  if (!list.videos) {
    return (
      <div className={`panel ${classes['list']}`} aria-busy="true" aria-label="Loading the videos">
        {['a', 'b', 'c', 'd', 'e'].map((key) => (
          <VideoRowSkeleton key={key} />
        ))}
      </div>
    );
  }
  if (list.videos.length === 0) return <NoVideos narrowed={narrowed} onShowAll={onShowAll} />;

  return (
    <>
      <ul className={`panel ${classes['list']}`}>
        {list.videos.map((video) => (
          <VideoRow key={video.id} video={video} />
        ))}
      </ul>
      {list.hasMore ? (
        <Group justify="center" mt="md">
          <Button variant="default" loading={list.loadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </Group>
      ) : null}
    </>
  );
}

function NoVideos({ narrowed, onShowAll }: { narrowed: boolean; onShowAll: () => void }) {
  return (
    <div className="panel">
      {narrowed ? (
        <EmptyState icon="search" title="Nothing matches" advice="Try fewer words or another status.">
          <Button variant="default" onClick={onShowAll}>
            Show all videos
          </Button>
        </EmptyState>
      ) : (
        <EmptyState
          icon="videos"
          title="Your first video"
          advice="Upload a file, see what it costs, and have it play anywhere a few minutes later."
        >
          <Button component={Link} to="/upload" leftSection={<Icon name="upload" size={18} />}>
            Upload a video
          </Button>
        </EmptyState>
      )}
    </div>
  );
}

function asStatus(text: string | null): VideoStatus | null {
  return text !== null && text in STATUS ? (text as VideoStatus) : null;
}

function showTotal(total: number, narrowed: boolean): string {
  const count = total === 1 ? '1 video' : `${total.toLocaleString('en')} videos`;
  return narrowed ? `${count} like this` : count;
}
