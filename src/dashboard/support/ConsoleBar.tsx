import { words } from '#words/support.js';
import { useEffect, useRef } from 'react';
import { NavLink, useLocation } from 'react-router';
import { keepShown } from '../parts/keepShown.js';
import classes from './parts/console.module.css';
import { SearchBox } from './SearchBox.js';
import { showCount, useWaiting, type Waiting } from './useWaiting.js';

interface Tab {
  readonly to: string;
  readonly label: string;
  readonly count?: keyof Waiting;
}

const TABS: readonly Tab[] = [
  { to: '/support', label: words.consoleBar.overview },
  { to: '/support/totals', label: words.consoleBar.totals },
  { to: '/support/alerts', label: words.consoleBar.alerts, count: 'alerts' },
  { to: '/support/adjustments', label: words.consoleBar.adjustments, count: 'adjustments' },
  { to: '/support/requests', label: words.consoleBar.requests, count: 'requests' },
  { to: '/support/suspense', label: words.consoleBar.suspense, count: 'suspense' },
  { to: '/support/missing', label: words.consoleBar.missingWebhooks, count: 'missing' },
  { to: '/support/failed', label: words.consoleBar.failedJobs, count: 'failed' },
  { to: '/support/webhooks', label: words.consoleBar.webhooks, count: 'webhooks' },
  { to: '/support/audit', label: words.consoleBar.auditTrail },
];

/** Above every page of the console: the search, and the work lists with their counts. */
export function ConsoleBar() {
  const { waiting } = useWaiting();
  const { pathname } = useLocation();
  const tabs = useRef<HTMLUListElement>(null);
  const open = TABS.findLast(({ to }) => pathname.startsWith(to))?.to;

  useEffect(() => keepShown(tabs.current!, (row) => row.querySelector<HTMLElement>(`[href="${open}"]`)), [open]);

  return (
    <div className={classes['bar']}>
      <SearchBox />
      <nav aria-label={words.consoleBar.support}>
        <ul ref={tabs} className={classes['tabs']}>
          {TABS.map(({ to, label, count }) => {
            const shown = count && waiting && waiting[count].count > 0 ? showCount(waiting[count]) : null;
            return (
              <li key={to}>
                <NavLink to={to} end={to === '/support'} className={classes['tab'] ?? ''}>
                  {label}
                  {shown ? <b className={`${classes['count']} num`}>{shown}</b> : null}
                </NavLink>
              </li>
            );
          })}
        </ul>
      </nav>
    </div>
  );
}
