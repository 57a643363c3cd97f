import { Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

import type { DatabaseServer } from './databaseAddress.js';

/** A socket that finds out where to connect when it is told to connect. pg then speaks to that server. */
export class ServerSocket extends Socket {
  /** Known once it connects. */
  server: DatabaseServer | null = null;

  constructor(private readonly choose: () => Promise<DatabaseServer>) {
    super();
  }

  /** Ignores the server that pg names: the first of the address. */
  override connect(): this {
    this.choose().then(
      (server) => {
        if (this.destroyed) return;
        // Ended before it connected, as by a pool that closes.
        if (this.writableEnded) this.destroy();
        else this.connectTo(server);
      },
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    return this;
  }

  private connectTo(server: DatabaseServer): void {
    this.server = server;
    const { host, port } = server;
    if (host.startsWith('/')) super.connect(`${host}/.s.PGSQL.${port}`);
    else super.connect(port, host);
  }
}

/** What pg hands to a function that makes its socket. It reads `ssl` after that. */
export interface PgConnectionOptions {
  ssl?: boolean | { checkServerIdentity?: IdentityCheck };
}

type IdentityCheck = (host: string, certificate: PeerCertificate) => Error | undefined;

/** Compares the certificate with the server that was chosen. pg would compare it with the first of the address. */
export function checkIdentityOf(socket: ServerSocket, options: PgConnectionOptions): void {
  if (!options.ssl) return;
  // Changed in place: pg hides the key from copies.
  const ssl = options.ssl === true ? {} : options.ssl;
  const check = ssl.checkServerIdentity ?? checkServerIdentity;
  ssl.checkServerIdentity = (host, certificate) => check(socket.server?.host || host, certificate);
  options.ssl = ssl;
}
