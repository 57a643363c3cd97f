import type { Entry } from './entry.js';

const KEY = 'dhara.palette';
const MOST = 5;

/** What this account opened with the palette last, newest first. Kept in this browser. */
export function readRecents(accountId: string): readonly Entry[] {
  try {
    const kept = JSON.parse(localStorage.getItem(`${KEY}.${accountId}`) ?? '[]') as unknown;
    return Array.isArray(kept) ? kept.filter(isEntry) : [];
  } catch {
    // Storage is disabled, or something else wrote it.
    return [];
  }
}

export function addRecent(accountId: string, { to, label, icon, detail }: Entry): void {
  const entry: Entry = { to, label, icon, ...(detail === undefined ? {} : { detail }) };
  const others = readRecents(accountId).filter((recent) => recent.to !== to);
  try {
    localStorage.setItem(`${KEY}.${accountId}`, JSON.stringify([entry, ...others].slice(0, MOST)));
  } catch {
    // Full or switched off: then there are no recent entries.
  }
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
