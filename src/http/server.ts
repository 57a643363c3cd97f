import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Express } from 'express';

export interface RunningServer {
  readonly port: number;
  /** Stops accepting, lets requests finish, cuts what still runs after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** @throws the listen error, such as EADDRINUSE */
export async function listen(app: Express, host: string, port: number): Promise<RunningServer> {
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 30_000, requestTimeout: 0 }, app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: (graceMs) => drain(server, graceMs),
  };
}

async function drain(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
