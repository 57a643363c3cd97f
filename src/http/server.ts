import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Express } from 'express';

import { boundBodies } from './bodyDeadline.js';
import { answerMalformed, type MalformedOptions } from './malformed.js';

/** Where the body of a request may take hours. */
const UPLOADS_PATH = '/uploads/';

export interface RunningServer {
  readonly port: number;
  /** Stops accepting, lets requests finish, cuts what still runs after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/**
 * @param malformed how requests are answered that are no HTTP; Node's bare status lines where left out
 * @throws the listen error, such as EADDRINUSE
 */
export async function listen(
  app: Express,
  host: string,
  port: number,
  malformed?: MalformedOptions,
): Promise<RunningServer> {
  // Nothing here reads the Host header, and its absence is no reason to answer in another format.
  const options = { keepAliveTimeout: 65_000, headersTimeout: 30_000, requestTimeout: 0, requireHostHeader: false };
  const server = createServer(options, app);
  // An `Expect` that nobody knows may be ignored; 100-continue is Node's.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  boundBodies(server, UPLOADS_PATH);
  if (malformed) answerMalformed(server, malformed);
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
