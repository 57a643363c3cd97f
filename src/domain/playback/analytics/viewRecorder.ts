import type { Database } from '../../../db/sql.js';
import { isDatabaseUnavailable } from '../../../errors.js';
import { waitAtMost } from '../../shared/waitAtMost.js';
import { DailySalts } from './dailySalts.js';
import { type Measured, merged } from './report.js';
import { dayOf, type Exchange, type Waiting, writeViews, type WrittenView } from './writeViews.js';

export interface ViewRecorderOptions {
  readonly db: Database;
  /** `deriveKey(masterKey, 'playback-visitor')` */
  readonly visitorKey: Uint8Array;
  /** Called for each view that was written and each that changed, after the commit. */
  readonly onWritten?: (views: readonly WrittenView[]) => void;
  /** Called if a batch could not be written. It is tried again. */
  readonly onError?: (error: unknown) => void;
  readonly flushEveryMs?: number;
  /** How long a batch may fail for another reason than the database's absence, before it is lost and counted. */
  readonly failingMs?: number;
  /** How many views, and how many reports, may wait. Beyond it, new ones are lost and counted. */
  readonly maxWaiting?: number;
}

const FLUSH_EVERY_MS = 2_000;
const MAX_WAITING = 50_000;
/** Less than the ten seconds that a stop may take. */
const STOP_WITHIN_MS = 4_000;
/** A batch that fails for another reason than the database's absence would block all others. */
const FAILING_MS = 60_000;
/** The most views, and the most reports, of one transaction. More than that waiting is written at once. */
const BATCH = 5_000;
/** A report may come before its view, which another process has yet to write. */
const UNKNOWN_VIEW_MS = 60_000;

/**
 * Counts views and keeps what players report of them. Requests only leave them here; every two seconds a batch is
 * written: the views and, in the same transaction, what they change in the rollups. A batch that is written twice
 * counts once.
 */
export class ViewRecorder {
  private views = new Map<string, Exchange>();
  private reports = new Map<string, Waiting>();
  private readonly salts: DailySalts;
  private readonly maxWaiting: number;
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> | null = null;
  /** Since when each attempt has failed, by `performance.now()`. */
  private failingSinceMs: number | null = null;
  private lostViews = 0;
  private lostReports = 0;

  constructor(private readonly options: ViewRecorderOptions) {
    this.salts = new DailySalts(options.visitorKey);
    this.maxWaiting = options.maxWaiting ?? MAX_WAITING;
  }

  start(): void {
    this.timer = setInterval(() => void this.flush(), this.options.flushEveryMs ?? FLUSH_EVERY_MS).unref();
  }

  /** Writes everything that waits. What the database does not take within a few seconds is lost. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    // A batch that is being written does not have what came since.
    const written = (this.flushing ?? Promise.resolve()).then(() => this.flush());
    await waitAtMost(STOP_WITHIN_MS, written);
    this.lostViews += this.views.size;
    this.lostReports += this.reports.size;
  }

  get stats(): {
    readonly waitingViews: number;
    readonly waitingReports: number;
    readonly lostViews: number;
    readonly lostReports: number;
  } {
    const { lostViews, lostReports } = this;
    return { waitingViews: this.views.size, waitingReports: this.reports.size, lostViews, lostReports };
  }

  /** Does no work but remember the view: this is the hot path. */
  exchanged(exchange: Exchange): void {
    if (this.views.has(exchange.viewId)) return;
    if (this.views.size >= this.maxWaiting) {
      this.lostViews += 1;
      return;
    }
    this.views.set(exchange.viewId, exchange);
    if (this.views.size >= BATCH) this.flushEarly();
  }

  reported(accountId: string, viewId: string, report: Measured): void {
    const waiting = this.reports.get(viewId);
    if (!waiting && this.reports.size >= this.maxWaiting) {
      this.lostReports += 1;
      return;
    }
    this.reports.set(viewId, {
      accountId,
      report: waiting ? merged(waiting.report, report) : report,
      unknownSinceMs: waiting?.unknownSinceMs ?? null,
    });
    if (this.reports.size >= BATCH) this.flushEarly();
  }

  /** After a failure, only the timer tries again: requests must not decide how often. */
  private flushEarly(): void {
    if (this.timer && this.failingSinceMs === null) void this.flush();
  }

  /** Writes what waits, and what comes meanwhile, as long as whole batches wait. Never throws. */
  flush(): Promise<void> {
    this.flushing ??= this.writeAll().finally(() => (this.flushing = null));
    return this.flushing;
  }

  private async writeAll(): Promise<void> {
    let isMore = true;
    while (isMore) {
      const views = taken(this.views);
      const reports = taken(this.reports);
      isMore = views.size === BATCH || reports.size === BATCH;
      if (views.size + reports.size === 0) return;
      const done = await this.write(views, reports).catch((error: unknown) => {
        this.failed(error, views, reports);
        return null;
      });
      if (done === null) return;
      this.failingSinceMs = null;
      for (const [viewId, waiting] of done.unknown) this.waitForView(viewId, waiting);
      this.options.onWritten?.(done.written);
      // Only reports are left whose views another process has yet to write.
      if (views.size === 0 && done.unknown.size === reports.size) return;
    }
  }

  /** Keeps the report until its view exists, but not for long: the view may have been lost with its process. */
  private waitForView(viewId: string, waiting: Waiting): void {
    // Not since the report arrived: while the database was away, no process could write the view.
    const unknownSinceMs = waiting.unknownSinceMs ?? performance.now();
    const isLate = performance.now() - unknownSinceMs > UNKNOWN_VIEW_MS;
    if (isLate && !this.views.has(viewId)) this.lostReports += 1;
    else this.keep(viewId, { ...waiting, unknownSinceMs });
  }

  private failed(error: unknown, views: Map<string, Exchange>, reports: Map<string, Waiting>): void {
    this.failingSinceMs ??= performance.now();
    if (
      performance.now() - this.failingSinceMs < (this.options.failingMs ?? FAILING_MS) ||
      isDatabaseUnavailable(error)
    ) {
      this.giveBack(views, reports);
    } else {
      this.failingSinceMs = null;
      this.lostViews += views.size;
      this.lostReports += reports.size;
    }
    this.options.onError?.(error);
  }

  private giveBack(views: Map<string, Exchange>, reports: Map<string, Waiting>): void {
    for (const [viewId, view] of this.views) views.set(viewId, view);
    this.views = views;
    for (const [viewId, waiting] of reports) this.keep(viewId, waiting);
  }

  private keep(viewId: string, waiting: Waiting): void {
    const newer = this.reports.get(viewId);
    this.reports.set(viewId, newer ? { ...waiting, report: merged(waiting.report, newer.report) } : waiting);
  }

  private async write(
    views: ReadonlyMap<string, Exchange>,
    reports: ReadonlyMap<string, Waiting>,
  ): ReturnType<typeof writeViews> {
    const days = new Set([...views.values()].map(dayOf));
    // Before the transaction, so that a salt that is in use is never rolled back.
    const hashes = await this.salts.hashesOf(this.options.db.sql, days);
    return this.options.db.transaction(({ sql }) => writeViews(sql, hashes, { views, reports }));
  }
}

/** Takes up to a batch out of the map, the oldest first. */
function taken<Value>(waiting: Map<string, Value>): Map<string, Value> {
  const batch = new Map<string, Value>();
  for (const [name, value] of waiting) {
    if (batch.size === BATCH) break;
    batch.set(name, value);
    waiting.delete(name);
  }
  return batch;
}
