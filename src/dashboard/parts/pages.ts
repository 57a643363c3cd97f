import { words } from '#words/shell.js';
import type { ViewerFieldsFragment } from '../generated/graphql.js';
import type { IconName } from './Icon.js';
import { isTestMode } from '../session/mode.js';

export interface Page {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** Phones show it in the bar itself, not behind "More". */
  readonly isPrimary?: boolean;
}

const PAGES: readonly Page[] = [
  { to: '/', label: words.navigation.home, icon: 'home', isPrimary: true },
  { to: '/videos', label: words.navigation.videos, icon: 'videos', isPrimary: true },
  { to: '/upload', label: words.navigation.upload, icon: 'upload', isPrimary: true },
  { to: '/analytics', label: words.navigation.analytics, icon: 'analytics' },
  { to: '/keys', label: words.navigation.apiKeys, icon: 'key' },
  { to: '/events', label: words.navigation.events, icon: 'events' },
  { to: '/webhook-endpoints', label: words.navigation.webhooks, icon: 'webhook' },
  { to: '/wallet', label: words.navigation.wallet, icon: 'wallet', isPrimary: true },
  { to: '/referrals', label: words.navigation.referrals, icon: 'referrals' },
  { to: '/settings', label: words.navigation.settings, icon: 'settings' },
  { to: '/docs', label: words.navigation.docs, icon: 'docs' },
];
/** Test mode has no credits, and the owner's own settings are the same in both modes. */
const LIVE_ONLY: ReadonlySet<string> = new Set(['/', '/wallet', '/referrals', '/settings']);
const TEST_PAGES = PAGES.filter(({ to }) => !LIVE_ONLY.has(to));
const SUPPORT: Page = { to: '/support', label: words.navigation.support, icon: 'support' };

/** The pages that this user can open, in the order of the navigation. */
export function pagesFor({ role }: Pick<ViewerFieldsFragment, 'role'>): readonly Page[] {
  if (isTestMode) return TEST_PAGES;
  return role === 'SUPPORT' ? [...PAGES, SUPPORT] : PAGES;
}
