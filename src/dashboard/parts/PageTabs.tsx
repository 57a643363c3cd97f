import { useEffect, useRef } from 'react';
import { NavLink, useLocation } from 'react-router';
import { keepShown } from './keepShown.js';
import classes from './PageTabs.module.css';

interface Props {
  /** Names the group for screen readers. */
  readonly label: string;
  /** The first one may be the page's own address: it is marked only there. */
  readonly tabs: readonly { readonly to: string; readonly label: string; readonly isExact?: boolean }[];
}

/** The parts of a page as tabs. Each is an address, so that links and the browser's history lead to it. */
export function PageTabs({ label, tabs }: Props) {
  const { pathname } = useLocation();
  const row = useRef<HTMLElement>(null);
  useEffect(() => keepShown(row.current!, (tabs) => tabOf(tabs, pathname)), [pathname]);
  return (
    <nav ref={row} aria-label={label} className={classes['tabs']}>
      {tabs.map((tab) => (
        <NavLink key={tab.to} to={tab.to} end={tab.isExact ?? false}>
          {tab.label}
        </NavLink>
      ))}
    </nav>
  );
}

function tabOf(row: HTMLElement, path: string): HTMLElement | undefined {
  // The first tab may be the beginning of the others.
  return [...row.querySelectorAll('a')].findLast(({ pathname }) => path.startsWith(pathname));
}
