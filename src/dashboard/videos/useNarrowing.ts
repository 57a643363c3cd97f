import { words } from '#words/videos.js';
import { useSearchParams } from 'react-router';
import type { VideoSort, VideoStatus } from '../generated/graphql.js';
import { dayIn } from '../lib/localDays.js';
import type { Narrowing } from './useVideoList.js';
import { STATUS } from '../lib/videoStates.js';

export const SORTS: readonly { readonly value: VideoSort; readonly label: string }[] = [
  { value: 'NEWEST', label: words.useNarrowing.newestFirst },
  { value: 'OLDEST', label: words.useNarrowing.oldestFirst },
  { value: 'TITLE', label: words.useNarrowing.title },
  { value: 'TITLE_DESC', label: words.useNarrowing.titleDescending },
  { value: 'LONGEST', label: words.useNarrowing.longest },
  { value: 'SHORTEST', label: words.useNarrowing.shortest },
  { value: 'MOST_PLAYED', label: words.useNarrowing.mostPlayed },
  { value: 'LEAST_PLAYED', label: words.useNarrowing.leastPlayed },
  { value: 'HIGHEST_COST', label: words.useNarrowing.highestCost },
  { value: 'LOWEST_COST', label: words.useNarrowing.lowestCost },
];

export type NarrowBy = 'q' | 'status' | 'tag' | 'from' | 'to' | 'metadata' | 'sort';

interface UseNarrowing {
  readonly narrowing: Narrowing;
  /** An empty value removes that filter. */
  readonly narrow: (by: NarrowBy, value: string) => void;
  readonly showAll: () => void;
  readonly isNarrowed: boolean;
}

/** The filters of the list. They are in the address, so that going back finds the list as it was. */
export function useNarrowing(): UseNarrowing {
  const [search, setSearch] = useSearchParams();
  const status = search.get('status');
  const narrowing: Narrowing = {
    status: status !== null && status in STATUS ? (status as VideoStatus) : null,
    q: search.get('q') ?? '',
    tag: search.get('tag') ?? '',
    from: dayIn(search, 'from'),
    to: dayIn(search, 'to'),
    metadata: search.get('metadata') ?? '',
    sort: SORTS.find(({ value }) => value === search.get('sort'))?.value ?? 'NEWEST',
  };
  return {
    narrowing,
    narrow: (by, value) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === '' || (by === 'sort' && value === 'NEWEST')) next.delete(by);
          else next.set(by, value);
          return next;
        },
        { replace: true },
      ),
    showAll: () => setSearch({}, { replace: true }),
    isNarrowed:
      narrowing.status !== null ||
      [narrowing.q, narrowing.tag, narrowing.from, narrowing.to, narrowing.metadata].some((value) => value !== ''),
  };
}
