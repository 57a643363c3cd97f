import ipaddr from 'ipaddr.js';

/** An address and the number of bits of its network, such as 10.0.0.0/8. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** What is public of IPv6. Everything else leads inside, or to an IPv4 address that is written as IPv6. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** @throws Error for what is no network */
export function parseNetworks(text: string): Network[] {
  return text.split(',').map((network) => ipaddr.parseCIDR(network.trim()));
}

/**
 * Whether strangers may have requests sent there: public addresses, and those of the networks that the operator allows.
 * Private, loopback, link-local, carrier-grade NAT, multicast and reserved ones are not, nor is IPv6 that holds an IPv4
 * address (mapped, compatible, NAT64, 6to4, Teredo).
 *
 * @param address without brackets
 */
export function isAllowedAddress(address: string, allowed: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  // A zone such as fe80::1%eth0 names an interface of this machine.
  if (address.includes('%')) return false;
  if (allowed.some((network) => isIn(parsed, network))) return true;
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || isIn(parsed, GLOBAL_UNICAST);
}

function isIn(address: ReturnType<typeof ipaddr.parse>, network: Network): boolean {
  return address.kind() === network[0].kind() && address.match(network);
}
