import type { ReactNode } from 'react';
import { useViewer } from '../session/viewer.js';
import classes from './Changes.module.css';

interface Props {
  readonly children: ReactNode;
  /** Owners of suspended accounts still may. */
  readonly evenIfSuspended?: boolean;
}

/** Buttons and fields that change something: disabled where the service refuses that, as in a view as owner. */
export function Changes({ children, evenIfSuspended = false }: Props) {
  const { account, view } = useViewer();
  const isRefused = view !== null || (account.suspended && !evenIfSuspended);
  // Without a fieldset in the usual case, so that nothing about the page differs.
  return isRefused ? (
    <fieldset disabled role="presentation" className={classes['refused']}>
      {children}
    </fieldset>
  ) : (
    children
  );
}
