import { words } from '#words/shell.js';
import { useEffect, useRef, useState } from 'react';
import { NavLink, useLocation } from 'react-router';
import { useRunningJobs } from '../home/RunningJobs.js';
import { Icon, type IconName } from '../parts/Icon.js';
import { isTestMode } from './mode.js';
import classes from './Navigation.module.css';
import { useViewer } from './viewer.js';

interface Page {
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

/** The navigation: a list beside the page on desktops; a bar below it on phones, with the rest behind "More". */
export function Navigation() {
  const { role } = useViewer();
  const { pathname } = useLocation();
  const [openAt, setOpenAt] = useState<string>();
  // Navigating closes the menu.
  const open = openAt === pathname;
  const setOpen = (next: boolean): void => setOpenAt(next ? pathname : undefined);
  const more = useRef<HTMLButtonElement>(null);
  const pages = isTestMode ? TEST_PAGES : role === 'SUPPORT' ? [...PAGES, SUPPORT] : PAGES;
  const isBehindMore = pages.some(({ to, isPrimary }) => !isPrimary && pathname.startsWith(to));

  useEffect(() => {
    if (!open) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      setOpenAt(undefined);
      more.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open]);

  return (
    <nav className={classes['nav']} aria-label={words.navigation.main} data-open={open || undefined}>
      {open ? <div className={classes['veil']} onClick={() => setOpen(false)} aria-hidden="true" /> : null}
      <ul className={classes['pages']} id="pages">
        {pages.map((page) => (
          <li key={page.to} data-primary={page.isPrimary || undefined}>
            <NavLink to={page.to} end={page.to === '/'} className={classes['link'] ?? ''}>
              <Icon name={page.icon} />
              <span>{page.label}</span>
              {page.to === '/videos' ? <JobsBadge /> : null}
            </NavLink>
          </li>
        ))}
        <li className={classes['more']} data-primary>
          <button
            ref={more}
            type="button"
            className={classes['link']}
            data-current={isBehindMore || undefined}
            aria-expanded={open}
            aria-controls="pages"
            onClick={() => setOpen(!open)}
          >
            <Icon name="more" />
            <span>{words.navigation.more}</span>
          </button>
        </li>
      </ul>
    </nav>
  );
}

/** How many videos are being processed or queued. */
function JobsBadge() {
  const { count } = useRunningJobs();
  if (count === 0) return null;
  return (
    <b className={`${classes['badge']} num`}>
      {count}
      <span className="visually-hidden">{words.navigation.processing}</span>
    </b>
  );
}
