import { keep, readKept } from '../session/keptInBrowser.js';
import type { Entry } from './entry.js';

const KEPT = 'palette';
const MOST = 5;

/** What this account opened with the palette last, newest first. Kept in this browser. */
export function readRecents(accountId: string): readonly Entry[] {
  const kept = readKept(KEPT, accountId);
  return Array.isArray(kept) ? kept.filter(isEntry) : [];
}

export function addRecent(accountId: string, { to, label, icon, detail }: Entry): void {
  const entry: Entry = { to, label, icon, ...(detail === undefined ? {} : { detail }) };
  const others = readRecents(accountId).filter((recent) => recent.to !== to);
  keep(KEPT, accountId, [entry, ...others].slice(0, MOST));
}

/** Addresses of this dashboard only, whatever was written into the storage. */
function isEntry(kept: unknown): kept is Entry {
  const { to, label, icon } = (kept ?? {}) as Partial<Record<keyof Entry, unknown>>;
  return typeof to === 'string' && isOfThisSite(to) && typeof label === 'string' && typeof icon === 'string';
}

/** As browsers read it: they take `/\example.com` for an address of another site, too. */
function isOfThisSite(path: string): boolean {
  return path.startsWith('/') && new URL(path, location.origin).origin === location.origin;
}
