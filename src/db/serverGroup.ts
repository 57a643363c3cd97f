import { setTimeout as delay } from 'node:timers/promises';

import type { DatabaseAddress, DatabaseServer } from './databaseAddress.js';
import { askServer, describeReport, fits, isGone, nameOf, type Report, watchServer } from './serverReport.js';
import { ServerSocket } from './serverSocket.js';

/** While no server fits, they are asked no more often than this, however many connections are wanted. */
const RETRY_AFTER_MS = 250;
const WATCH_AGAIN_AFTER_MS = 1000;

type Reports = ReadonlyMap<DatabaseServer, Promise<Report>>;

/** At the moment, no server of an address is what is wanted. */
class NoServerError extends Error {
  override readonly name = 'NoServerError';
  /** The code of a refused connection, so callers try again. */
  readonly code = 'ECONNREFUSED';
}

/**
 * The servers of one address, and which of them this process uses.
 *
 * The server that was found is watched on its own connection while others are open. When it is lost, is silent, or
 * has become something else, all are asked again, and connections to those that do not fit are cut off, so that their
 * users take new ones.
 */
export class ServerGroup {
  readonly #sockets = new Set<ServerSocket>();
  #chosen: DatabaseServer | null = null;
  #looking: Promise<DatabaseServer> | null = null;
  #failed: { readonly error: unknown; readonly atMs: number } | null = null;
  #isWatched = false;

  constructor(private readonly address: DatabaseAddress) {}

  /** A socket for pg, which connects to the server that fits when it is told to connect. */
  socket(): ServerSocket {
    const socket = new ServerSocket(async () => {
      const server = await this.choose();
      if (!socket.destroyed) {
        this.#sockets.add(socket);
        void this.#watch();
      }
      return server;
    });
    socket.once('close', (hadError) => {
      this.#sockets.delete(socket);
      if (hadError && socket.server === this.#chosen) this.#chosen = null;
    });
    return socket;
  }

  /** @throws NoServerError */
  async choose(): Promise<DatabaseServer> {
    // A server that is not watched may be gone by now.
    if (this.#chosen !== null && this.#isWatched) return this.#chosen;
    if (this.#failed !== null && performance.now() - this.#failed.atMs < RETRY_AFTER_MS) throw this.#failed.error;
    this.#looking ??= this.#look().finally(() => (this.#looking = null));
    return this.#looking;
  }

  /** Asks all servers. */
  async #look(): Promise<DatabaseServer> {
    const reports: Reports = new Map(this.address.servers.map((server) => [server, askServer(server)]));
    try {
      const chosen = await this.#pick(reports);
      this.#chosen = chosen;
      this.#failed = null;
      void this.#cutOff(reports, chosen);
      return chosen;
    } catch (error) {
      this.#failed = { error, atMs: performance.now() };
      throw error;
    }
  }

  async #pick(reports: Reports): Promise<DatabaseServer> {
    const { wanted } = this.address;
    // There is at most one primary, so the first to fit is taken without waiting for silent servers. For all else, the order
    // of the address decides.
    const isOne = wanted === 'read-write' || wanted === 'primary';
    const one = isOne ? await firstToFit(reports, (report) => fits(report, wanted)) : null;
    if (one !== null) return one;
    const said = [];
    for (const [server, reporting] of reports) {
      const report = await reporting;
      if (fits(report, wanted)) return server;
      said.push({ server, report });
    }
    const second = wanted === 'prefer-standby' ? said.find(({ report }) => !(report instanceof Error)) : undefined;
    if (second !== undefined) return second.server;
    const reasons = said.map(({ server, report }) => describeReport(server, report)).join('; ');
    throw new NoServerError(`no database server ${wanted === 'any' ? 'answers' : `is ${wanted}`}: ${reasons}`);
  }

  /** Ends the connections to servers that are silent or have become something else, now that there is one that fits. */
  async #cutOff(reports: Reports, chosen: DatabaseServer): Promise<void> {
    for (const [server, reporting] of reports) {
      const report = await reporting;
      if (server === chosen || !isGone(report, this.address.wanted)) continue;
      for (const socket of this.#sockets) {
        if (socket.server !== server) continue;
        socket.destroy(new NoServerError(`${describeReport(server, report)}; ${nameOf(chosen)} serves instead`));
      }
    }
  }

  /** Runs while connections are open, because a frozen server does not close them. */
  async #watch(): Promise<void> {
    if (this.#isWatched) return;
    this.#isWatched = true;
    while (this.#sockets.size > 0) {
      const server = await this.choose().catch(() => null);
      if (server === null) {
        await delay(WATCH_AGAIN_AFTER_MS, undefined, { ref: false });
        continue;
      }
      await watchServer(server, this.address.wanted, () => this.#sockets.size > 0 && this.#chosen === server);
      if (this.#chosen === server) this.#chosen = null;
    }
    this.#isWatched = false;
  }
}

/** `null` once all have reported and none fits. */
function firstToFit(reports: Reports, isFit: (report: Report) => boolean): Promise<DatabaseServer | null> {
  const { promise, resolve } = Promise.withResolvers<DatabaseServer | null>();
  const all = [...reports].map(async ([server, report]) => {
    if (isFit(await report)) resolve(server);
  });
  void Promise.all(all).then(() => resolve(null));
  return promise;
}
