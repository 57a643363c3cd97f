import { useEffect, useRef, useState } from 'react';
import { NavLink, useLocation } from 'react-router';
import { useRunningJobs } from '../home/useRunningJobs.js';
import { Icon, type IconName } from '../parts/Icon.js';
import classes from './Navigation.module.css';
import { useViewer } from './viewer.js';

interface Page {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** On a phone it stands in the bar itself, not behind "More". */
  readonly isPrimary?: boolean;
}

const PAGES: readonly Page[] = [
  { to: '/', label: 'Home', icon: 'home', isPrimary: true },
  { to: '/videos', label: 'Videos', icon: 'videos', isPrimary: true },
  { to: '/upload', label: 'Upload', icon: 'upload', isPrimary: true },
  { to: '/keys', label: 'API keys', icon: 'key' },
  { to: '/wallet', label: 'Wallet', icon: 'wallet', isPrimary: true },
  { to: '/referrals', label: 'Referrals', icon: 'referrals' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
  { to: '/docs', label: 'Docs', icon: 'docs' },
];
const SUPPORT: Page = { to: '/support', label: 'Support', icon: 'support' };

/** The ways to the pages: a list beside the page on a desk; on a phone a bar below it, with the rest behind "More". */
export function Navigation() {
  const { role } = useViewer();
  const { pathname } = useLocation();
  const [openAt, setOpenAt] = useState<string>();
  // Whoever has gone somewhere has closed it.
  const open = openAt === pathname;
  const setOpen = (next: boolean): void => setOpenAt(next ? pathname : undefined);
  const more = useRef<HTMLButtonElement>(null);
  const pages = role === 'SUPPORT' ? [...PAGES, SUPPORT] : PAGES;
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
    <nav className={classes['nav']} aria-label="Main" data-open={open || undefined}>
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
            <span>More</span>
          </button>
        </li>
      </ul>
    </nav>
  );
}

/** How many videos are being processed or wait for it, at this moment. */
function JobsBadge() {
  const { count } = useRunningJobs();
  if (count === 0) return null;
  return (
    <b className={`${classes['badge']} num`}>
      {count}
      <span className="visually-hidden"> in processing</span>
    </b>
  );
}
