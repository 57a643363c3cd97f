import { words } from '#words/palette.js';
import { useQuery } from '@apollo/client/react';
import { useDebouncedValue } from '@mantine/hooks';
import { isTestMode } from '../session/mode.js';
import { useViewer } from '../session/viewer.js';
import {
  ApiKeysDocument,
  PaletteLedgerDocument,
  PaletteVideosDocument,
  type LedgerFilterInput,
} from '../generated/graphql.js';
import { matches, type Entry, type Group } from './entry.js';
import { allEntries, allOfAmount, amountIn, kindsIn, ledgerEntries } from './ledgerEntries.js';
import { places } from './places.js';

const TYPING_MS = 200;
const VIDEOS = 6;
/** Of each other group, once something is typed. */
const MOST_PER_GROUP = 6;
/**
 * So many of the newest ledger entries are searched, and as many of the kinds and of the amount that are typed. The ledger
 * itself has filters for the others.
 */
const LEDGER_ENTRIES = 100;
/** Videos whose ledger is offered beside them. */
const WITH_LEDGER = 2;

interface Found {
  readonly groups: readonly Group[];
  /** The service has not answered yet for what is typed. */
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
}

/** What matches the text; everything that can be opened without a search if there is none. */
export function useFound(text: string): Found {
  const viewer = useViewer();
  const [search] = useDebouncedValue(text, TYPING_MS);
  const videos = useQuery(PaletteVideosDocument, { variables: { first: VIDEOS, q: search }, skip: search === '' });
  const keys = useQuery(ApiKeysDocument, { fetchPolicy: 'cache-first' });
  const kinds = kindsIn(search);
  const typed = amountIn(search);
  const newest = useLedgerEntries({}, search !== '');
  const ofKinds = useLedgerEntries({ types: kinds }, kinds.length > 0);
  const ofAmount = useLedgerEntries({ amount: typed?.amount ?? null }, typed !== undefined);
  const { pages, actions, ledger, settings, docs } = places(viewer);
  if (text === '') return { groups: [pages, actions], isSearching: false, hasFailed: false };

  const isCurrent = search === text && !videos.loading && !ofKinds.isLoading && !ofAmount.isLoading;
  const page = search === '' ? undefined : (videos.data ?? videos.previousData)?.found;
  const found = page?.edges.map(({ node }) => node) ?? [];
  const inDocs: Entry = { to: `/docs?${new URLSearchParams({ q: text })}`, label: words.inDocs(text), icon: 'search' };
  // However the amount is written, these have it.
  const exact = ledgerEntries(ofAmount.lines).filter((entry) => matches(entry, typed?.others ?? ''));
  const lines = ledgerEntries([...ofKinds.lines, ...newest.lines]);
  // The ledger's filter takes one kind.
  const ofOneKind: { type?: string } = kinds.length === 1 ? { type: kinds[0] } : {};
  let others: Entry | undefined;
  // Where it leads depends on all answers, and it must not change under the pointer.
  if (!isCurrent) others = undefined;
  else if (typed && ofAmount.hasMore) others = allEntries({ ...ofOneKind, amount: typed.amount }, LEDGER_ENTRIES);
  else if (typed && exact.length > MOST_PER_GROUP) others = allOfAmount(ofOneKind, typed.amount, MOST_PER_GROUP);
  else if (ofKinds.hasMore) others = allEntries(ofOneKind, LEDGER_ENTRIES);
  // A number may also be a day.
  else if (exact.length === 0 && newest.hasMore && /\d/.test(text)) others = allEntries({}, LEDGER_ENTRIES);
  const groups = [
    narrowed(pages, text),
    narrowed(actions, text),
    {
      title: words.videos,
      // Those of the text before say nothing about how many match now.
      entries: [...found.map(videoEntry), ...(isCurrent && page?.pageInfo.hasNextPage ? [allVideos(text)] : [])],
    },
    { title: words.keys, entries: keyEntries((keys.data?.apiKeys ?? []).map(keyEntry), text) },
    {
      title: ledger.title,
      entries: onceEach([
        ...exact.slice(0, MOST_PER_GROUP),
        ...narrowed({ title: ledger.title, entries: [...ledger.entries, ...lines] }, text).entries,
        ...(isTestMode ? [] : found.slice(0, WITH_LEDGER).map(ledgerEntry)),
        ...(others ? [others] : []),
      ]),
    },
    narrowed(settings, text),
    narrowed(docs, text, [inDocs]),
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isSearching: !isCurrent,
    hasFailed: [videos, keys, newest, ofKinds, ofAmount].some(({ error }) => error !== undefined),
  };
}

/** The newest entries of a filter, and whether there are older ones. Test mode has no ledger. */
function useLedgerEntries(filter: LedgerFilterInput, isWanted: boolean) {
  const { data, previousData, error, loading } = useQuery(PaletteLedgerDocument, {
    variables: { first: LEDGER_ENTRIES, filter },
    fetchPolicy: 'cache-and-network',
    skip: !isWanted || isTestMode,
  });
  // What an amount has found is not shown for the next one.
  const found = isWanted ? (data ?? (filter.amount ? undefined : previousData))?.wallet.entries : undefined;
  return {
    lines: found?.edges.map(({ node }) => node) ?? [],
    hasMore: found?.pageInfo.hasNextPage ?? false,
    isLoading: isWanted && loading && !data,
    error,
  };
}

/** The entries that match, followed by `more`, which always match; each address once. */
function narrowed({ title, entries }: Group, text: string, more: readonly Entry[] = []): Group {
  const matching = entries.filter((entry) => matches(entry, text)).slice(0, MOST_PER_GROUP);
  return { title, entries: onceEach([...matching, ...more]) };
}

function onceEach(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ to }, at) => entries.findIndex((other) => other.to === to) === at);
}

function ledgerEntry({ id, title }: { id: string; title: string }): Entry {
  return { to: `/wallet/ledger?video=${id}`, label: words.ledgerOf(title), icon: 'wallet' };
}

function videoEntry({ id, title }: { id: string; title: string }): Entry {
  return { to: `/videos/${id}`, label: title, icon: 'play' };
}

/** Leads on where more videos match than the palette shows. */
function allVideos(text: string): Entry {
  const to = `/videos?${new URLSearchParams({ q: text })}`;
  return { to, label: words.allVideos(text), detail: words.newestShown(VIDEOS), icon: 'play' };
}

/** The newest keys that match, and the page of all keys if there are more. */
function keyEntries(keys: readonly Entry[], text: string): Entry[] {
  const matching = keys.filter((entry) => matches(entry, text));
  const all: Entry = { to: '/keys', label: words.allKeys, detail: words.newestShown(MOST_PER_GROUP), icon: 'key' };
  return [...matching.slice(0, MOST_PER_GROUP), ...(matching.length > MOST_PER_GROUP ? [all] : [])];
}

function keyEntry({ id, name, prefix, last4 }: { id: string; name: string; prefix: string; last4: string }): Entry {
  return { to: `/keys#${id}`, label: name, detail: `${prefix}…${last4}`, icon: 'key' };
}
