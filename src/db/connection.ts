import type { Duplex } from 'node:stream';

import { parseAddress, withSettings } from './databaseAddress.js';
import { ServerGroup } from './serverGroup.js';
import { checkIdentityOf, type PgConnectionOptions } from './serverSocket.js';

/** Where pg's Client and Pool, and libraries that make them, connect to. */
export interface Connection {
  readonly connectionString: string;
  readonly stream?: () => Duplex;
}

/** By address. All pools of this process share a group, so each server is asked and watched once. */
const groups = new Map<string, ServerGroup>();

/**
 * Options for everything that connects to an address, with which connections follow a failover.
 *
 * pg knows one server. If the address has several, or says what its server must be (`target_session_attrs`), each new
 * connection goes to the one that fits at that moment. An address of one server costs nothing.
 *
 * @param settings of its sessions, besides those that it has already
 */
export function connectionTo(address: string, settings: Readonly<Record<string, string>> = {}): Connection {
  const parsed = parseAddress(address);
  if (parsed.servers.length === 1 && parsed.wanted === 'any') {
    return { connectionString: withSettings(address, settings) };
  }
  const group = groups.get(address) ?? new ServerGroup(parsed);
  groups.set(address, group);
  const stream = (options: PgConnectionOptions): Duplex => {
    const socket = group.socket();
    checkIdentityOf(socket, options);
    return socket;
  };
  // pg calls it with options that its types do not know.
  return { connectionString: withSettings(parsed.servers[0]!.url, settings), stream: stream as () => Duplex };
}
