import { words } from '#words/shell.js';
import { useEffect, useRef, useState, type CSSProperties } from 'react';
import { NavigationType, NavLink, useLocation, useNavigationType } from 'react-router';
import { useRunningJobs } from '../home/RunningJobs.js';
import { Icon } from '../parts/Icon.js';
import classes from './Navigation.module.css';
import { pagesFor } from '../parts/pages.js';
import { useViewer } from '../session/viewer.js';

/** The navigation: a list beside the page on desktops; a bar below it on phones, with the rest behind "More". */
export function Navigation() {
  const viewer = useViewer();
  const { pathname } = useLocation();
  const [openAt, setOpenAt] = useState<string>();
  const isRedirect = useNavigationType() === NavigationType.Replace;
  // Navigating closes the menu. The redirect of a page that was still loading when it was opened does not.
  if (openAt !== undefined && openAt !== pathname) setOpenAt(isRedirect ? pathname : undefined);
  const open = openAt === pathname;
  const setOpen = (next: boolean): void => setOpenAt(next ? pathname : undefined);
  const more = useRef<HTMLButtonElement>(null);
  const pages = pagesFor(viewer);
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
      {open ? <div className={classes['backdrop']} onClick={() => setOpen(false)} aria-hidden="true" /> : null}
      <ul className={classes['pages']} id="pages" style={{ '--bar': barOf(pages) } as CSSProperties}>
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

/** How many columns a phone's bar has, with "More". */
function barOf(pages: readonly { readonly isPrimary?: boolean }[]): number {
  return 1 + pages.filter(({ isPrimary }) => isPrimary).length;
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
