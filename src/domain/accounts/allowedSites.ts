import { domainToASCII } from 'node:url';

import { AppError } from '../../errors.js';

const MAX_DOMAINS = 50;
/** What an address has beside its host: it would be dropped without a word. */
const MORE_THAN_A_HOST = /[\s/\\:?#@%]/;
const DOMAIN = /^(\*\.)?(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** What a browser says about the page that asks; pages cannot change it. */
export interface PageHeaders {
  readonly origin?: string | undefined;
  readonly referer?: string | undefined;
  /** Sent by our own embed page: the site whose page frames it. */
  readonly embedder?: string | undefined;
}

/** The page's host name in lower case; `null` where the request does not say, or a page hides it. */
export function pageHost({ origin, referer }: PageHeaders): string | null {
  const address = origin === undefined ? referer : origin;
  return address === undefined ? null : hostOf(address);
}

/**
 * Whether a page may play what belongs to an account with this list; an empty list allows every page. `example.com` is
 * that host alone, `*.example.com` every host below it.
 */
export function mayPlayOn(allowed: readonly string[], host: string | null): boolean {
  if (allowed.length === 0) return true;
  if (host === null) return false;
  return allowed.some((domain) => (domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain));
}

/**
 * The site a manifest is asked for: the page's, or, where our own embed page asks, that of the page around it.
 * Our own pages (`ownHost`), the dashboard among them, are always let through.
 */
export function mayAskFor(allowed: readonly string[], page: PageHeaders, ownHost: string): boolean {
  if (allowed.length === 0) return true;
  const host = pageHost(page);
  if (host !== ownHost) return mayPlayOn(allowed, host);
  return page.embedder === undefined || hostOf(page.embedder) === ownHost || mayPlayOn(allowed, hostOf(page.embedder));
}

/**
 * Whether a playlist or a key may be fetched, which the manifest's address led to. A player that is the browser itself
 * does not say which page it plays on: then the manifest's check has to do.
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
 * An owner's list as it is kept: lower case, international names in ASCII, each once.
 *
 * @throws INVALID_INPUT naming the entry that is no host name, or more than 50 of them.
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
