import { isIPv6 } from 'node:net';

const GROUPS = 8;
const GROUPS_OF_A_NETWORK = 4;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Whom an address stands for: an IPv4 address for itself, an IPv6 address for its /64, since whoever has one of those
 * addresses has them all.
 */
export function callerOf(address: string | undefined): string {
  const given = (address ?? '').replace(/%.*$/, '');
  const mapped = MAPPED_IPV4.exec(given)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(given)) return given;
  const [head = '', tail] = given.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':');
    while (groups.length + rest.length < GROUPS) groups.push('0');
    groups.push(...rest);
  }
  const network = groups.slice(0, GROUPS_OF_A_NETWORK).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
