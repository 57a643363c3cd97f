import { NavLink } from 'react-router';
import classes from './PageTabs.module.css';

interface Props {
  /** Names the group for screen readers. */
  readonly label: string;
  /** The first one may be the page's own address: it is marked only there. */
  readonly tabs: readonly { readonly to: string; readonly label: string; readonly isExact?: boolean }[];
}

/** The parts of a page as tabs. Each is an address, so that links and the browser's history lead to it. */
export function PageTabs({ label, tabs }: Props) {
  return (
    <nav aria-label={label} className={classes['tabs']}>
      {tabs.map((tab) => (
        <NavLink key={tab.to} to={tab.to} end={tab.isExact ?? false}>
          {tab.label}
        </NavLink>
      ))}
    </nav>
  );
}
