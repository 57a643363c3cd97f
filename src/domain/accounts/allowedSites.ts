import { domainToASCII } from 'node:url';

import { AppError } from '../../errors.js';

const MAX_DOMAINS = 50;
/** Characters that occur in a URL but not in a host name. URL parsing would silently drop what they separate. */
const MORE_THAN_A_HOST = /[\s/\\:?#@%]/;
const DOMAIN = /^(\*\.)?(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** What the browser says about the page that sends the request. Pages cannot change it. */
export interface PageHeaders {
  readonly origin?: string | undefined;
  readonly referer?: string | undefined;
  /** Sent by our embed page: the site of the page that frames it. */
  readonly embedder?: string | undefined;
}

/** The page's host name in lower case; `null` if the request does not say, or the page hides it. */
export function pageHost({ origin, referer }: PageHeaders): string | null {
  const address = origin === undefined ? referer : origin;
  return address === undefined ? null : hostOf(address);
}

/**
 * Whether a page may play videos of an account with this list. An empty list allows every page. `example.com` matches
 * only that host, `*.example.com` every host below it.
 */
export function mayPlayOn(allowed: readonly string[], host: string | null): boolean {
  if (allowed.length === 0) return true;
  if (host === null) return false;
  return allowed.some((domain) => (domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain));
}

/**
 * Whether a page may request a manifest. If our own embed page asks, the page that frames it decides. Our own pages
 * (`ownHost`), such as the dashboard, are always allowed.
 */
export function mayAskFor(allowed: readonly string[], page: PageHeaders, ownHost: string): boolean {
  if (allowed.length === 0) return true;
  const host = pageHost(page);
  if (host !== ownHost) return mayPlayOn(allowed, host);
  return page.embedder === undefined || hostOf(page.embedder) === ownHost || mayPlayOn(allowed, hostOf(page.embedder));
}

/**
 * Whether a page lies on the viewer's own machine, as far as it says: a file names no host, and a server for development
 * is on the loopback.
 */
export function isLocalPage(page: PageHeaders, ownHost: string): boolean {
  const host = pageHost(page);
  const asking = host === ownHost && page.embedder !== undefined ? hostOf(page.embedder) : host;
  return asking === null || LOOPBACK.test(asking);
}

/**
 * Whether a playlist or key may be fetched. A browser that plays HLS natively does not say which page it plays on; then
 * the check of the manifest has to suffice.
 */
export function mayFetch(allowed: readonly string[], page: PageHeaders, ownHost: string): boolean {
  if (allowed.length === 0 || (page.origin === undefined && page.referer === undefined)) return true;
  const host = pageHost(page);
  return host === ownHost || mayPlayOn(allowed, host);
}

export function domainNotAllowed(): AppError {
  return new AppError('DOMAIN_NOT_ALLOWED', 'This video does not play on this site.');
}

/**
 * Normalizes an owner's list: lower case, international names in ASCII, no duplicates.
 *
 * @throws INVALID_INPUT naming the entry that is not a host name, or for more than 50 entries
 */
export function parseDomains(list: readonly string[]): string[] {
  if (list.length > MAX_DOMAINS) throw new AppError('INVALID_INPUT', `At most ${MAX_DOMAINS} domains can be listed.`);
  return [...new Set(list.map(parseDomain))];
}

function parseDomain(text: string): string {
  const name = text.trim().toLowerCase();
  const [, star = '', rest = ''] = /^(\*\.)?(.*)$/s.exec(name) ?? [];
  const domain = star + domainToASCII(rest);
  if (rest === '' || MORE_THAN_A_HOST.test(rest) || !DOMAIN.test(domain)) {
    throw new AppError(
      'INVALID_INPUT',
      `"${text.slice(0, 100)}" is not a valid domain, such as example.com or *.example.com.`,
    );
  }
  return domain;
}

function hostOf(address: string): string | null {
  return URL.parse(address)?.hostname.toLowerCase() || null;
}
