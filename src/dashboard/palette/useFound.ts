import { words } from '#words/palette.js';
import { useQuery } from '@apollo/client/react';
import { useDebouncedValue } from '@mantine/hooks';
import { isTestMode } from '../app/mode.js';
import { useViewer } from '../app/viewer.js';
import { ApiKeysDocument, PaletteLedgerDocument, PaletteVideosDocument } from '../generated/graphql.js';
import { matches, type Entry, type Group } from './entry.js';
import { allEntries, kindsIn, ledgerEntries } from './ledgerEntries.js';
import { places } from './places.js';

const TYPING_MS = 200;
const VIDEOS = 6;
/** Of each other group, once something is typed. */
const MOST_PER_GROUP = 6;
/**
 * So many of the newest ledger entries are searched, and as many of the kinds that are named. The ledger itself has filters
 * for the others.
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
  const ledgerOptions = { fetchPolicy: 'cache-and-network', skip: search === '' || isTestMode } as const;
  const entries = useQuery(PaletteLedgerDocument, {
    ...ledgerOptions,
    variables: { first: LEDGER_ENTRIES, filter: {} },
  });
  const kinds = kindsIn(search);
  const ofKinds = useQuery(PaletteLedgerDocument, {
    ...ledgerOptions,
    variables: { first: LEDGER_ENTRIES, filter: { types: kinds } },
    skip: ledgerOptions.skip || kinds.length === 0,
  });
  const { pages, actions, ledger, settings, docs } = places(viewer);
  if (text === '') return { groups: [pages, actions], isSearching: false, hasFailed: false };

  const isCurrent = search === text && !videos.loading;
  const found = search === '' ? [] : ((videos.data ?? videos.previousData)?.found.edges.map(({ node }) => node) ?? []);
  const inDocs: Entry = { to: `/docs?${new URLSearchParams({ q: text })}`, label: words.inDocs(text), icon: 'search' };
  const newest = [ofKinds, entries].map(({ data, previousData }) => (data ?? previousData)?.wallet.entries);
  const lines = ledgerEntries(newest.flatMap((some) => some?.edges.map(({ node }) => node) ?? []));
  // A number may be an amount or a day.
  const searched = kinds.length > 0 ? newest[0] : /\d/.test(text) ? newest[1] : undefined;
  const older = searched?.pageInfo.hasNextPage ? [allEntries(kinds, LEDGER_ENTRIES)] : [];
  const groups = [
    narrowed(pages, text),
    narrowed(actions, text),
    { title: words.videos, entries: found.map(videoEntry) },
    narrowed({ title: words.keys, entries: (keys.data?.apiKeys ?? []).map(keyEntry) }, text),
    narrowed(
      { title: ledger.title, entries: [...ledger.entries, ...lines] },
      text,
      isTestMode ? [] : [...found.slice(0, WITH_LEDGER).map(ledgerEntry), ...older],
    ),
    narrowed(settings, text),
    narrowed(docs, text, [inDocs]),
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isSearching: !isCurrent,
    hasFailed: [videos, keys, entries, ofKinds].some(({ error }) => error !== undefined),
  };
}

/** The entries that match, followed by `more`, which always match; each address once. */
function narrowed({ title, entries }: Group, text: string, more: readonly Entry[] = []): Group {
  const matching = entries.filter((entry) => matches(entry, text)).slice(0, MOST_PER_GROUP);
  return { title, entries: [...matching, ...more.filter(({ to }) => !matching.some((entry) => entry.to === to))] };
}

function ledgerEntry({ id, title }: { id: string; title: string }): Entry {
  return { to: `/wallet/ledger?video=${id}`, label: words.ledgerOf(title), icon: 'wallet' };
}

function videoEntry({ id, title }: { id: string; title: string }): Entry {
  return { to: `/videos/${id}`, label: title, icon: 'play' };
}

function keyEntry({ id, name, prefix, last4 }: { id: string; name: string; prefix: string; last4: string }): Entry {
  return { to: `/keys#${id}`, label: name, detail: `${prefix}…${last4}`, icon: 'key' };
}
