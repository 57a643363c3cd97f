import { words } from '#words/videos.js';
import { showNumber } from '../lib/format.js';
import { useSearchText } from '../lib/useSearchText.js';
import { useQuery } from '@apollo/client/react';
import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { VideoTagsDocument } from '../generated/graphql.js';
import { Icon } from '../parts/Icon.js';
import { FilterPanel } from './list/FilterPanel.js';
import { SavedFilters } from './list/SavedFilters.js';
import classes from './ListToolbar.module.css';
import type { ListView } from './useListView.js';
import { SORTS, type NarrowBy } from './useNarrowing.js';
import type { Narrowing } from './useVideoList.js';
import { STATUS } from '../lib/videoStates.js';

const TYPING_MS = 250;
const STATUSES = Object.entries(STATUS).map(([value, { label }]) => ({ value, label }));
const VIEWS = [
  { view: 'table', icon: 'table', label: words.listToolbar.asTable },
  { view: 'grid', icon: 'grid', label: words.listToolbar.asPictures },
] as const;

interface Props {
  readonly narrowing: Narrowing;
  readonly onNarrow: (by: NarrowBy, value: string) => void;
  /** All filters are about to be replaced. */
  readonly onReplace: () => void;
  readonly view: ListView;
  readonly onView: (view: ListView) => void;
  /** More buttons. */
  readonly children?: ReactNode;
}

/** Search, filters, sorting, and the view of the list. */
export function ListToolbar({ narrowing, onNarrow, onReplace, view, onView, children }: Props) {
  const [typed, change] = useSearchText(narrowing.q, (text) => onNarrow('q', text), TYPING_MS);

  return (
    <div className={classes['bar']} role="search">
      <TextInput
        aria-label={words.listToolbar.searchTitle}
        placeholder={words.listToolbar.searchTitle}
        type="search"
        leftSection={<Icon name="search" size={17} />}
        className={classes['search'] ?? ''}
        value={typed}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <NativeSelect
        aria-label={words.listToolbar.status}
        className={classes['select'] ?? ''}
        value={narrowing.status ?? ''}
        data={[{ value: '', label: words.listToolbar.allStatuses }, ...STATUSES]}
        onChange={(event) => onNarrow('status', event.currentTarget.value)}
      />
      <TagSelect tag={narrowing.tag} onTag={(tag) => onNarrow('tag', tag)} />
      <NativeSelect
        aria-label={words.listToolbar.order}
        className={classes['select'] ?? ''}
        value={narrowing.sort}
        data={[...SORTS]}
        onChange={(event) => onNarrow('sort', event.currentTarget.value)}
      />
      <FilterPanel narrowing={narrowing} onNarrow={onNarrow} />
      <SavedFilters onChoose={onReplace} />
      {children}
      <div className={classes['views']} role="group" aria-label={words.listToolbar.view}>
        {VIEWS.map((one) => (
          <button
            key={one.view}
            type="button"
            aria-pressed={view === one.view}
            aria-label={one.label}
            title={one.label}
            onClick={() => onView(one.view)}
          >
            <Icon name={one.icon} size={18} />
          </button>
        ))}
      </div>
    </div>
  );
}

/** Disabled until a video has a tag, but always present, so that nothing below moves. */
function TagSelect({ tag, onTag }: { tag: string; onTag: (tag: string) => void }) {
  const { data } = useQuery(VideoTagsDocument);
  const tags = data?.videoTags ?? [];
  const isListed = tag === '' || tags.some((one) => one.tag === tag);
  return (
    <NativeSelect
      aria-label={words.listToolbar.tag}
      className={classes['select'] ?? ''}
      disabled={tags.length === 0 && tag === ''}
      value={tag}
      data={[
        { value: '', label: words.listToolbar.allTags },
        ...(isListed ? [] : [{ value: tag, label: tag }]),
        ...tags.map((one) => ({ value: one.tag, label: `${one.tag} (${showNumber(one.videos)})` })),
      ]}
      onChange={(event) => onTag(event.currentTarget.value)}
    />
  );
}
