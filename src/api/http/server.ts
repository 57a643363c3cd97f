import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { boundBodies } from './bodyDeadline.js';
import { type ConnectionLimits, Connections } from './connections.js';
import { answerMalformed, type MalformedOptions } from './malformed.js';

/** Below this path, a request body may take hours. */
const UPLOADS_PATH = '/uploads/';

export interface RunningServer {
  readonly port: number;
  readonly openConnections: number;
  /**
   * Stops accepting connections, lets requests finish, and cuts those still running after `graceMs`. A connection that sends
   * another request is told to close after it; one that stays idle is closed.
   */
  stop(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  /** How to answer requests that are not HTTP. Default: Node's bare status lines. */
  readonly malformed?: MalformedOptions;
  readonly connections?: ConnectionLimits;
}

/** What a machine with the usual limit of open files can handle. */
const CONNECTIONS: ConnectionLimits = { maxConnections: 10_000, maxPerAddress: 512 };
/**
 * How long an idle connection is kept. A proxy's must outlive the proxy's own timeout (a minute), or the proxy sends a
 * request into a connection that we just closed. A caller's own frees its descriptor within a minute.
 */
const KEPT_MS = { ofProxy: 65_000, ofCaller: 50_000 };
const PROBED_AFTER_MS = 30_000;
const HEADERS_WITHIN_MS = 20_000;
const LOOK_MS = 5_000;
/** How long a request may be on its way to a service that stops. */
const UNDERWAY_MS = 100;
/** The kernel's maximum, so that a stranger who opens thousands of connections does not delay others. */
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
    // A caller without a limit per address is a proxy.
    keepAliveTimeout: limits.maxPerAddress === null ? KEPT_MS.ofProxy : KEPT_MS.ofCaller,
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: 0,
    connectionsCheckingInterval: LOOK_MS,
    // Detects clients that vanished without closing.
    keepAlive: true,
    keepAliveInitialDelay: PROBED_AFTER_MS,
    // Nothing reads the Host header, and a request without it must get an error in our own format.
    requireHostHeader: false,
  };
  const server = createServer(options, connections.guard(app));
  connections.watch(server);
  // Unknown `Expect` values may be ignored. Node handles 100-continue.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  boundBodies(server, UPLOADS_PATH);
  if (malformed) answerMalformed(server, connections, malformed);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    get openConnections() {
      return connections.size;
    },
    stop: (graceMs) => drain(server, connections, graceMs),
  };
}

async function drain(server: Server, connections: Connections, graceMs: number): Promise<void> {
  connections.endWhenAnswered();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  // Not the server's own `close`, which ends idle connections at once, even if a request is on its way.
  NetServer.prototype.close.call(server);
  await Promise.race([closed, delay(UNDERWAY_MS, undefined, { ref: false })]);
  server.close();
  await closed;
  clearTimeout(cut);
}
