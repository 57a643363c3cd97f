import { words } from '#words/palette.js';
import { words as settingsWords } from '#words/settings.js';
import { words as shellWords } from '#words/shell.js';
import { isTestMode } from '../session/mode.js';
import { pagesFor } from '../parts/pages.js';
import { isReadOnly } from '../session/viewer.js';
import { ALL_CHAPTERS } from '../docs/contents.js';
import type { LedgerEntryType, ViewerFieldsFragment } from '../generated/graphql.js';
import { ENTRY } from '../wallet/words.js';
import type { Entry, Group } from './entry.js';

/** The address that shows the shortcuts instead of leading somewhere. */
export const SHORTCUTS = '#shortcuts';

const CHAPTER_ENTRIES: readonly Entry[] = ALL_CHAPTERS.map(({ path, title }) => ({
  to: path,
  label: title,
  detail: words.docs,
  icon: 'docs',
}));

const SETTINGS: readonly Entry[] = Object.entries(settingsWords.tabs).map(([tab, label]) => ({
  to: `/settings/${tab}`,
  label,
  detail: shellWords.navigation.settings,
  icon: 'settings',
}));

/** What can be found without asking the service, by its kind. */
export function places(
  viewer: ViewerFieldsFragment,
): Readonly<Record<'pages' | 'actions' | 'ledger' | 'settings' | 'docs', Group>> {
  const mayChange = !isReadOnly(viewer);
  const actions: Entry[] = [
    ...(mayChange ? [{ to: '/upload', label: words.uploadVideos, icon: 'upload' } as const] : []),
    ...(mayChange ? [{ to: '/keys?create', label: words.createKey, icon: 'key' } as const] : []),
    ...(mayChange && !isTestMode ? [{ to: '/wallet?add', label: words.addCredits, icon: 'wallet' } as const] : []),
    { to: SHORTCUTS, label: words.showShortcuts, icon: 'more' },
  ];
  const types = isTestMode ? [] : (Object.keys(ENTRY) as LedgerEntryType[]);
  return {
    pages: { title: words.pages, entries: pagesFor(viewer) },
    actions: { title: words.actions, entries: actions },
    ledger: {
      title: words.ledger,
      entries: types.map((type) => ({
        to: `/wallet/ledger?type=${type}`,
        label: ENTRY[type],
        detail: words.ledger,
        icon: 'wallet',
      })),
    },
    settings: { title: shellWords.navigation.settings, entries: isTestMode ? [] : SETTINGS },
    docs: { title: words.docs, entries: CHAPTER_ENTRIES },
  };
}
