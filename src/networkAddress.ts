import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

const GROUPS_OF_A_NETWORK = 4;
/** The first three groups, in the spelling used below. */
const SITE_LENGTH = '2001:0db8:0001'.length;
/** Some proxies append the caller's port in X-Forwarded-For. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/**
 * Returns the caller's network: an IPv4 address itself, or the /64 of an IPv6 address, because one caller has all
 * addresses of a /64. Each network has one spelling, whatever a proxy wrote.
 *
 * @returns '' for anything that is not an address, so that all of it counts as one caller
 */
export function networkOf(address: string | undefined): string {
  const given = (address ?? '').trim();
  const [, bracketed, ported] = WITH_PORT.exec(given) ?? [];
  const plain = (bracketed ?? ported ?? given).replace(/%.*$/s, '');
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return '';
  const groups = groupsOf(plain);
  return mappedIPv4(groups) ?? spelled(groups.slice(0, GROUPS_OF_A_NETWORK));
}

/**
 * The caller's address: of the connection, or what the outermost trusted proxy says in `X-Forwarded-For`. Express has
 * the same as `req.ip`.
 *
 * @param trustProxies number of proxies in front
 */
export function callerOf(req: IncomingMessage, trustProxies: number): string | undefined {
  const own = req.socket.remoteAddress;
  const said = trustProxies > 0 ? req.headers['x-forwarded-for'] : undefined;
  if (typeof said !== 'string') return own;
  const chain = said.split(',');
  return chain[Math.max(0, chain.length - trustProxies)]?.trim() ?? own;
}

/** The /48 of a network as `networkOf` spells it, since one line or tunnel may have all of it. `null` for IPv4. */
export function siteOf(network: string): string | null {
  return network.includes(':') ? network.slice(0, SITE_LENGTH) : null;
}

function groupsOf(address: string): number[] {
  // The URL parser knows every spelling, including dotted endings, and returns one.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...middle, ...after].map((group) => Number.parseInt(group, 16));
}

/** An IPv6 socket names an IPv4 address `::ffff:203.0.113.9`. */
function mappedIPv4(groups: readonly number[]): string | null {
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return null;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** The full spelling, as identity stores it with a session. */
function spelled(groups: readonly number[]): string {
  return Array.from({ length: 8 }, (_, n) => (groups[n] ?? 0).toString(16).padStart(4, '0')).join(':');
}
