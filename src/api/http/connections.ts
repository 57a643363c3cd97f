import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { networkOf } from '../../networkAddress.js';

export interface ConnectionLimits {
  /** Connections open at a time. */
  readonly maxConnections: number;
  /**
   * Connections per address, where an IPv6 /64 counts as one. `null` behind a proxy, whose address all visitors share.
   */
  readonly maxPerAddress: number | null;
}

export interface ConnectionTimeouts {
  /** Timeout for a response that its reader does not read, and for a close that it does not confirm. */
  readonly stalledMs: number;
  /** Timeout for the rest of a request that has been answered. */
  readonly leftoversMs: number;
  readonly sweepMs: number;
}

const DEFAULT_TIMEOUTS: ConnectionTimeouts = { stalledMs: 45_000, leftoversMs: 5_000, sweepMs: 5_000 };
/** How long a connection that was told to stay open waits for its next request, which may be on its way. */
const LAST_REQUEST_MS = 1_000;
/** Requests of one connection that wait for their responses. No honest client pipelines this many. */
const MAX_PIPELINED = 100;
/** Fewer bytes than this do not count as progress while a request or a response is being sent. */
const LEAST_BYTES_PER_SECOND = 1_000;

interface Connection {
  readonly socket: Socket;
  readonly caller: string;
  /** Responses that have not been sent completely, newest last. */
  readonly open: Set<ServerResponse>;
  hasAsked: boolean;
  /** Bytes in both directions at the last check. */
  moved: number;
  /** What the reader had taken, and since when that has not changed. */
  taken: number;
  takenAtMs: number;
  isSlow: boolean;
}

/**
 * The connections of a server. Closes connections that hold a slot without using it: after a timeout, or at once if a
 * new connection needs the slot. So a stranger who opens thousands keeps nobody out.
 */
export class Connections {
  readonly #all = new Set<Connection>();
  readonly #byCaller = new Map<string, Set<Connection>>();
  readonly #of = new WeakMap<Duplex, Connection>();
  #stays = true;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly timeouts: ConnectionTimeouts = DEFAULT_TIMEOUTS,
  ) {}

  get size(): number {
    return this.#all.size;
  }

  /** Watches a server until it closes. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#enter(socket));
    const sweep = setInterval(() => this.#sweep(), this.timeouts.sweepMs);
    sweep.unref();
    server.once('close', () => clearInterval(sweep));
  }

  /** Passes requests on, unless a connection pipelines too many. */
  guard(handle: RequestListener): RequestListener {
    return (req, res) => {
      const connection = this.#of.get(req.socket);
      if (!connection || req.socket.destroyed) return;
      if (connection.open.size >= MAX_PIPELINED) {
        req.socket.destroy();
        return;
      }
      connection.hasAsked = true;
      connection.open.add(res);
      if (!this.#stays) res.shouldKeepAlive = false;
      // It closes when it is answered, too.
      res.on('close', () => {
        connection.open.delete(res);
        if (!req.complete) dropLeftovers(req, this.timeouts.leftoversMs);
        if (!this.#stays) endUnlessBusy(connection);
      });
      handle(req, res);
    };
  }

  /** The newest response of a connection that has not been sent completely. */
  newestOpen(socket: Duplex): ServerResponse | undefined {
    return [...(this.#of.get(socket)?.open ?? [])].at(-1);
  }

  /**
   * From now on, a connection ends once its requests are answered. Otherwise callers who always have a next request are
   * served until they are cut off in the middle of one. Connections that are idle already stay.
   */
  endWhenAnswered(): void {
    this.#stays = false;
    for (const { open } of this.#all) {
      for (const res of open) if (!res.headersSent) res.shouldKeepAlive = false;
    }
  }

  #enter(socket: Socket): void {
    const caller = networkOf(socket.remoteAddress);
    const mates = this.#byCaller.get(caller) ?? new Set();
    const { maxConnections, maxPerAddress } = this.limits;
    const fits =
      (maxPerAddress === null || mates.size < maxPerAddress || closeOne(mates)) &&
      (this.#all.size < maxConnections || closeOne(this.#largestGroup()) || closeOne(this.#all));
    if (!fits) {
      socket.destroy();
      return;
    }
    const connection: Connection = {
      socket,
      caller,
      open: new Set(),
      hasAsked: false,
      moved: 0,
      taken: 0,
      takenAtMs: performance.now(),
      isSlow: false,
    };
    this.#of.set(socket, connection);
    this.#all.add(connection);
    this.#byCaller.set(caller, mates.add(connection));
    socket.once('close', () => this.#leave(connection));
  }

  #leave(connection: Connection): void {
    this.#all.delete(connection);
    const mates = this.#byCaller.get(connection.caller);
    mates?.delete(connection);
    if (mates?.size === 0) this.#byCaller.delete(connection.caller);
  }

  #largestGroup(): ReadonlySet<Connection> {
    let largest: ReadonlySet<Connection> = new Set();
    for (const group of this.#byCaller.values()) if (group.size > largest.size) largest = group;
    return largest;
  }

  #sweep(): void {
    const nowMs = performance.now();
    const { stalledMs, sweepMs } = this.timeouts;
    const leastBytes = LEAST_BYTES_PER_SECOND * (sweepMs / 1000);
    for (const connection of this.#all) {
      const { socket } = connection;
      const taken = socket.bytesWritten - socket.writableLength - queuedBytes(socket);
      const moved = socket.bytesRead + taken;
      connection.isSlow = moved - connection.moved < leastBytes;
      connection.moved = moved;
      if (taken !== connection.taken || !waitsForReader(socket)) {
        connection.taken = taken;
        connection.takenAtMs = nowMs;
      } else if (nowMs - connection.takenAtMs >= stalledMs) {
        socket.destroy();
      }
    }
  }
}

/** The part of a large write that the kernel has not taken yet. `bytesWritten` counts the whole write at once. */
function queuedBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { readonly writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}

/** True if data waits that the reader does not take, or if our close has not been confirmed. */
function waitsForReader(socket: Socket): boolean {
  return socket.writableLength > 0 || socket.writableEnded;
}

/**
 * Closes the least needed connection: first one that never sent a request, then an idle one, then a slow one, the
 * oldest of each. Connections that wait for our response or that move bytes stay open.
 */
function closeOne(connections: ReadonlySet<Connection>): boolean {
  let victim: Connection | null = null;
  let rankOfVictim = 3;
  for (const connection of connections) {
    if (connection.socket.destroyed) continue;
    const rank = rankOf(connection);
    if (rank >= rankOfVictim) continue;
    [victim, rankOfVictim] = [connection, rank];
    if (rank === 0) break;
  }
  victim?.socket.destroy();
  return victim !== null;
}

function rankOf({ hasAsked, open, socket, isSlow }: Connection): number {
  if (!hasAsked) return 0;
  if (open.size === 0) return 1;
  const isHeldUp = socket.writableLength > 0 || [...open].some(({ req }) => !req.complete);
  return isHeldUp && isSlow ? 2 : 3;
}

function endUnlessBusy({ socket, open }: Connection): void {
  const timer = setTimeout(() => {
    if (open.size === 0) socket.destroySoon();
  }, LAST_REQUEST_MS);
  timer.unref();
}

/** Nothing reads the rest of a request that has been answered. */
function dropLeftovers(req: IncomingMessage, withinMs: number): void {
  if (req.socket.destroyed) return;
  const timer = setTimeout(() => {
    if (!req.complete) req.socket.destroy();
  }, withinMs);
  timer.unref();
}
