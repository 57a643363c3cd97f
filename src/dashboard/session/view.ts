import type { ViewerFieldsFragment } from '../generated/graphql.js';

/** What a page says that was loaded outside of a view. */
const NO_VIEW = 'none';

let loadedIn: string | undefined;
let isLeaving = false;

/**
 * Remembers under which identity this page was loaded. The service refuses its requests once a member of staff has begun or
 * ended a view of another account in this browser.
 */
export function knowView({ role, view }: ViewerFieldsFragment): void {
  loadedIn ??= view?.id ?? (role === 'SUPPORT' ? NO_VIEW : undefined);
}

/** Headers of every request for what belongs to an account. Owners are never in a view, and send none. */
export function viewHeaders(): Readonly<Record<string, string>> {
  return loadedIn === undefined ? {} : { 'x-dhara-view': loadedIn };
}

/** Whether this page shows the account of somebody else. */
export function isInView(): boolean {
  return loadedIn !== undefined && loadedIn !== NO_VIEW;
}

/** Loads another page, because the identity has changed. The first address counts: later answers may be refused meanwhile. */
export function leaveFor(path: string): void {
  if (isLeaving) return;
  isLeaving = true;
  location.assign(path);
}
