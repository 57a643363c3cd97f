import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { boundBodies } from './bodyDeadline.js';
import { type ConnectionLimits, Connections } from './connections.js';
import { answerMalformed, type MalformedOptions } from './malformed.js';

/** Where the body of a request may take hours. */
const UPLOADS_PATH = '/uploads/';

export interface RunningServer {
  readonly port: number;
  readonly openConnections: number;
  /** Stops accepting, lets requests finish, cuts what still runs after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  /** How requests are answered that are no HTTP; Node's bare status lines where left out. */
  readonly malformed?: MalformedOptions;
  readonly connections?: ConnectionLimits;
}

/** What a machine with the usual number of open files bears. */
const CONNECTIONS: ConnectionLimits = { maxConnections: 10_000, maxPerAddress: 512 };
/**
 * How long an idle connection is kept: a proxy's longer than proxies keep theirs (a minute), or it sends a request into
 * one that we just closed; a caller's own so that its descriptor is back within a minute.
 */
const KEPT_MS = { ofProxy: 65_000, ofCaller: 50_000 };
const PROBED_AFTER_MS = 30_000;
const HEADERS_WITHIN_MS = 20_000;
const LOOK_MS = 5_000;
/** As many as the kernel takes: strangers who connect by the thousand must not make others wait for their turn. */
const BACKLOG = 4_096;

/**
 * @throws the listen error, such as EADDRINUSE
 */
export async function listen(
  app: RequestListener,
  host: string,
  port: number,
  { malformed, connections: limits = CONNECTIONS }: ListenOptions = {},
): Promise<RunningServer> {
  const connections = new Connections(limits);
  const options = {
    // Whoever has no share of its own is a proxy.
    keepAliveTimeout: limits.maxPerAddress === null ? KEPT_MS.ofProxy : KEPT_MS.ofCaller,
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: 0,
    connectionsCheckingInterval: LOOK_MS,
    // Finds those who went without a word.
    keepAlive: true,
    keepAliveInitialDelay: PROBED_AFTER_MS,
    // Nothing here reads the Host header, and its absence is no reason to answer in another format.
    requireHostHeader: false,
  };
  const server = createServer(options, connections.guard(app));
  connections.watch(server);
  // An `Expect` that nobody knows may be ignored; 100-continue is Node's.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  boundBodies(server, UPLOADS_PATH);
  if (malformed) answerMalformed(server, malformed);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    get openConnections() {
      return connections.size;
    },
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
