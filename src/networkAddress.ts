import { isIPv4, isIPv6 } from 'node:net';

const GROUPS_OF_A_NETWORK = 4;
/** Three groups, as they are spelled below. */
const SITE_LENGTH = '2001:0db8:0001'.length;
/** Some proxies append the caller's port to what they write into X-Forwarded-For. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/**
 * Whose an address is: an IPv4 address stands for itself, an IPv6 address for its /64, since whoever has one of those
 * addresses has them all. One spelling for each, whatever a proxy has made of it.
 *
 * @returns '' for what is no address: all of that counts as one caller, who cannot choose to be many
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

/** The /48 of a network as `networkOf` spells it, which one line or one tunnel may have whole; `null` for IPv4. */
export function siteOf(network: string): string | null {
  return network.includes(':') ? network.slice(0, SITE_LENGTH) : null;
}

function groupsOf(address: string): number[] {
  // The parser of addresses in URLs knows every spelling, dotted ends included, and leaves one.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...middle, ...after].map((group) => Number.parseInt(group, 16));
}

/** `::ffff:203.0.113.9` is how an IPv6 socket names an IPv4 address. */
function mappedIPv4(groups: readonly number[]): string | null {
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return null;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** In full, as identity keeps it beside a session. */
function spelled(groups: readonly number[]): string {
  return Array.from({ length: 8 }, (_, n) => (groups[n] ?? 0).toString(16).padStart(4, '0')).join(':');
}
