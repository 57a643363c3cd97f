import { setTimeout as delay } from 'node:timers/promises';

import type pg from 'pg';

import { isDatabaseUnavailable } from '../errors.js';
import { connectionTo } from './connection.js';
import { PostgresDatabase } from './database.js';
import { lastingFaultLines } from './databaseFaults.js';
import { impatientClient } from './serverReport.js';
import { type Database, execute, type NoParams, sqlOn, statement } from './sql.js';

const LOOK_EVERY_MS = 1000;
const MAX_WAIT_MS = 30_000;
const POLL_MS = 100;
/** Longer than the replica lets a statement run. */
const SILENCE_MS = 35_000;

/** Reads the clock before the position: everything that was committed by that time then lies before the position. */
const PRIMARY_NOW = statement<NoParams, PrimaryRow>(
  'replica-primary-now',
  `
    with now as materialized (select clock_timestamp() as at)
    select (extract(epoch from at) * 1000)::float8 as "atMs", pg_current_wal_insert_lsn()::text as position,
      (select format('%s/%s', system_identifier, current_database()) from pg_control_system()) as database
    from now`,
);

/** Identifies a server by when it started, to the microsecond. */
const SERVER = 'extract(epoch from pg_postmaster_start_time())::text as server';
const SERVER_NOW = statement<NoParams, Pick<ReplicaRow, 'server'>>('replica-server', `select ${SERVER}`);
const REPLICA_NOW = statement<NoParams, ReplicaRow>(
  'replica-now',
  `
    select ${SERVER}, pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn()::text as position,
      (select format('%s/%s', system_identifier, current_database()) from pg_control_system()) as database`,
);

const SEVERAL_SERVERS = 'its connections lead to several servers';

interface PrimaryRow {
  readonly atMs: number;
  readonly position: string;
  /** The id of its cluster and its name, which are the same on the primary and on its standbys. */
  readonly database: string;
}

interface ReplicaRow {
  readonly server: string;
  readonly isStandby: boolean;
  readonly position: string | null;
  readonly database: string;
}

/** Everything committed before the primary's clock showed `atMs` lies before `position` in its log. */
interface Moment {
  readonly atMs: number;
  readonly position: bigint;
}

export interface ReadReplicaOptions {
  /** Not the pool that serves requests: while that is exhausted, the replica has to take over, and its lag must be known. */
  readonly primary: Pick<Database, 'sql'>;
  readonly url: string;
  readonly maxConnections: number;
  /** A replica that is further behind is not read. */
  readonly maxLagMs: number;
  /**
   * A connection is dropped if a statement on it gets no response for this long. Otherwise connections to a machine that
   * is gone would occupy the pool. Default 35,000.
   */
  readonly silenceMs?: number;
  /** A replica is not read by a role that could do more than read and write rows. */
  readonly refusesUnfitRole?: boolean;
  /** Told when the service begins or stops reading from it. */
  readonly log: (message: string) => void;
  /** Whether a read was served, or went on to the primary because the replica failed. */
  readonly onRead?: (outcome: 'replica' | 'failed') => void;
}

/**
 * A standby for reads that may be some seconds old, and how much of the primary's writes it is known to have.
 *
 * Once a second, the primary is asked for its clock and the end of its log, and the replica for how far it has replayed
 * that log. Positions are times of the primary's clock, which all processes share, in ms.
 */
export class ReadReplica {
  readonly #stopping = new AbortController();
  readonly #reading = new Set<(error: Error) => void>();
  #watching: Promise<void> = Promise.resolve();
  #client: pg.Client | null = null;
  #moments: Moment[] = [];
  /** The primary's clock, and our own time just before we asked for it. */
  #clock: { readonly atMs: number; readonly askedAtMs: number } | null = null;
  #database = '';
  /** The server that last said how far it is. */
  #server = '';
  /** The server of each connection in the pool. */
  readonly #servers = new Map<pg.ClientBase, string>();
  #coveredMs = Number.NEGATIVE_INFINITY;
  /** Why the last look at it failed. */
  #fault: string | null = 'it was not asked yet';
  #wasUsable: boolean | null = null;

  private constructor(
    readonly db: PostgresDatabase,
    private readonly options: ReadReplicaOptions,
  ) {}

  /** Resolves once the replica was asked, whether or not it can be used. */
  static async open(options: ReadReplicaOptions): Promise<ReadReplica> {
    const { url, maxConnections, log, silenceMs = SILENCE_MS } = options;
    const onConnect = (client: pg.ClientBase): Promise<void> => replica.#recognize(client);
    const db = await PostgresDatabase.connect({ url, maxConnections, log, silenceMs, onConnect, mayBeDown: true });
    const replica = new ReadReplica(db, options);
    await replica.#look();
    replica.#watching = replica.#watch();
    return replica;
  }

  /** Why a replica would not be read; `null` if it would be. Gives it time to replay what is on its way. */
  static async faultOf(options: ReadReplicaOptions): Promise<string | null> {
    const replica = await ReadReplica.open(options);
    try {
      const giveUpAtMs = performance.now() + Math.min(options.maxLagMs, MAX_WAIT_MS);
      // Its lag is known once it has replayed what the primary had at the first look.
      while (replica.#fault === null && !replica.isUsable && performance.now() < giveUpAtMs) await delay(POLL_MS);
      return replica.fault;
    } finally {
      await replica.close();
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
    this.#leave();
    this.#lose('it is being closed');
    await this.db.close();
  }

  /** An upper bound of the primary's clock: all commits so far are earlier. `null` if that clock is not known. */
  position(): number | null {
    return this.#clock && Math.ceil(this.#clock.atMs + performance.now() - this.#clock.askedAtMs);
  }

  /** How far behind it is at most; infinite while that is not known. */
  get lagMs(): number {
    const now = this.position();
    return now === null ? Number.POSITIVE_INFINITY : now - this.#coveredMs;
  }

  /** Why it is not read; `null` if it can be. */
  get fault(): string | null {
    const { maxLagMs } = this.options;
    return this.#fault ?? (this.lagMs <= maxLagMs ? null : `it is more than ${maxLagMs / 1000} s behind`);
  }

  get isUsable(): boolean {
    return this.fault === null;
  }

  /** Whether it can be read, and has everything that was committed by this position. */
  covers(position: number): boolean {
    return this.isUsable && this.#coveredMs >= position;
  }

  /** Reads from the replica, or from the primary if the replica is lost meanwhile or has to cancel the read. */
  async read<T>(fromReplica: () => Promise<T>, fromPrimary: () => Promise<T>): Promise<T> {
    try {
      const found = await this.#unlessLost(fromReplica());
      this.options.onRead?.('replica');
      return found;
    } catch (error) {
      if (!isReplicaFault(error)) throw error;
      if (isDatabaseUnavailable(error)) this.#lose(String(error));
      this.options.onRead?.('failed');
      return fromPrimary();
    }
  }

  /** A frozen replica never answers, so its readers give up as soon as the next look at it fails. */
  #unlessLost<T>(reading: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reading.add(reject);
      reading.then(resolve, reject).finally(() => this.#reading.delete(reject));
    });
  }

  #lose(fault: string): void {
    this.#fault = fault;
    for (const reject of this.#reading) reject(new ReplicaLostError(fault));
    this.#reading.clear();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    // If the primary does not answer, the replica counts as ever older, until it is no longer read.
    await this.#askPrimary().catch(() => undefined);
    try {
      await this.#askReplica();
      this.#fault = null;
    } catch (error) {
      this.#leave();
      this.#lose(error instanceof Error ? error.message : String(error));
    }
    this.#tell();
  }

  async #askPrimary(): Promise<void> {
    const askedAtMs = performance.now();
    const [row] = await execute(this.options.primary.sql, PRIMARY_NOW);
    const { atMs, position, database } = row!;
    this.#clock = { atMs, askedAtMs };
    this.#database = database;
    // A later time comes from another clock that was ahead, such as a former primary's. It says nothing about this one.
    if (this.#coveredMs > atMs) this.#coveredMs = Number.NEGATIVE_INFINITY;
    // A replica that is only as far as an older moment is too far behind.
    const oldestMs = atMs - this.options.maxLagMs;
    this.#moments = this.#moments.filter((moment) => moment.atMs >= oldestMs && moment.atMs <= atMs);
    this.#moments.push({ atMs, position: positionOf(position) });
  }

  async #askReplica(): Promise<void> {
    this.#client ??= await this.#connect();
    const [row] = await execute(sqlOn(this.#client), REPLICA_NOW);
    const { server, isStandby, position, database } = row!;
    if (!isStandby) throw new Error('it is not in recovery');
    if (this.#database !== '' && database !== this.#database) throw new Error('it is another database');
    this.#server = server;
    // Connections to a machine that is gone report their end late, though the pool has dropped them already.
    if (this.db.pool.totalCount === 0) this.#servers.clear();
    if ([...this.#servers.values()].some((each) => each !== server)) throw new Error(SEVERAL_SERVERS);
    const replayed = positionOf(position ?? '0/0');
    this.#coveredMs = this.#moments.findLast((moment) => moment.position <= replayed)?.atMs ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Only the server that said how far it is may be read. A balancer can lead to another one, and so can an address with
   * several servers.
   */
  async #recognize(client: pg.ClientBase): Promise<void> {
    const [row] = await execute(sqlOn(client), SERVER_NOW);
    const { server } = row!;
    if (server !== this.#server) throw new ReplicaLostError(SEVERAL_SERVERS);
    this.#servers.set(client, server);
    client.once('end', () => this.#servers.delete(client));
  }

  /** Not from the pool: while the replica is frozen, each look would occupy one of its connections. */
  async #connect(): Promise<pg.Client> {
    const client = impatientClient({ ...connectionTo(this.options.url), application_name: 'dhara-replica-watch' });
    try {
      await client.connect();
      const [fault] = this.options.refusesUnfitRole ? await lastingFaultLines(sqlOn(client)) : [];
      if (fault !== undefined) throw new Error(fault);
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  #leave(): void {
    void this.#client?.end().catch(() => undefined);
    this.#client = null;
  }

  #tell(): void {
    const { fault } = this;
    if ((fault === null) === this.#wasUsable) return;
    this.#wasUsable = fault === null;
    this.options.log(fault === null ? 'reading from the replica' : `not reading from the replica: ${fault}`);
  }
}

class ReplicaLostError extends Error {
  override readonly name = 'ReplicaLostError';
  /** MikroORM's own errors keep it. */
  readonly code = 'REPLICA_LOST';
}

/**
 * Our own code; the SQLSTATEs of a read that a standby cancels because it blocks the replay; and those of a read that needs
 * a table, column or function of a migration that is not replayed yet.
 */
const STANDBY_CODE = /^(40001|40P01|42P01|42703|42883|REPLICA_LOST)$/;

/** pg's message for a statement that got no response in time. */
const SILENT = 'Query read timeout';

function isReplicaFault(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(SILENT)) return true;
    if ('code' in cause && typeof cause.code === 'string' && STANDBY_CODE.test(cause.code)) return true;
  }
  return false;
}

/** A position in the log, `16/B374D848`, as a number. */
function positionOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
