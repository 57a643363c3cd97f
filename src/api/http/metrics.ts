import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { countBytes } from './countedMetrics.js';
import { RequestDurations, type Series } from './requestDurations.js';

/**
 * Resolution of the event loop's lag, in ms. Smaller lags show as this. The library's default of 10 wakes an idle
 * service a hundred times a second.
 */
const LAG_RESOLUTION_MS = 50;

/** Returns the body of `/metrics`. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** The sums over all processes that this one has forked. */
export class ForkedMetrics implements MetricsText {
  private readonly registry = new AggregatorRegistry();

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.clusterMetrics();
  }
}

/** The jobs of one kind, of all processes. */
export interface Backlog {
  readonly kind: string;
  readonly waiting: number;
  readonly active: number;
  /** 0 if none waits. */
  readonly oldestSeconds: number;
}

export interface ServiceFigures {
  readonly backlog: () => Promise<readonly Backlog[]>;
  readonly openAlerts: () => Promise<readonly { readonly kind: string; readonly count: number }[]>;
  /** `null` if there never was one. */
  readonly lastBackupAgeSeconds: () => Promise<number | null>;
}

/** A processing run that is over. */
export interface EndedRun {
  readonly outcome: string;
  readonly seconds: number;
  readonly videoSeconds: number;
  /** Null if its owner moves its clock. */
  readonly secondsSinceBought: number | null;
}

/** What `/metrics` shows: the process, and requests by route. Labels are routes, never paths with ids. */
export class HttpMetrics implements MetricsText {
  readonly registry = new Registry();
  private readonly durations = new RequestDurations();
  private readonly known = new Map<string, Series>();
  private readonly sentBytes = new Map<string, number>();

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
    this.durations.register(this.registry);
    countBytes(this.registry, this.sentBytes);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Adds the figures of the object cache. */
  watchCache(stats: () => { readonly hits: number; readonly misses: number; readonly bytes: number }): void {
    const registers = [this.registry];
    const lookups = new Counter({
      name: 'dhara_segment_cache_lookups_total',
      help: 'Objects that were asked for, by whether they were in memory',
      labelNames: ['result'],
      registers,
      collect: () => {
        const { hits, misses } = stats();
        lookups.reset();
        lookups.inc({ result: 'hit' }, hits);
        lookups.inc({ result: 'miss' }, misses);
      },
    });
    const bytes: Gauge = new Gauge({
      name: 'dhara_segment_cache_bytes',
      help: 'Memory that objects take which are kept, being read or being sent',
      registers,
      collect: (): void => bytes.set(stats().bytes),
    });
  }

  /** Adds what waits to be written for analytics, and what was lost because too much waited. */
  watchViews(
    stats: () => {
      readonly waitingViews: number;
      readonly waitingReports: number;
      readonly lostViews: number;
      readonly lostReports: number;
      readonly droppedLines: number;
    },
  ): void {
    const registers = [this.registry];
    const waiting: Gauge = new Gauge({
      name: 'dhara_views_waiting',
      help: 'Views and reports of players that are not written yet',
      labelNames: ['kind'],
      registers,
      collect: (): void => {
        const { waitingViews, waitingReports } = stats();
        waiting.set({ kind: 'view' }, waitingViews);
        waiting.set({ kind: 'report' }, waitingReports);
      },
    });
    const lost = new Counter({
      name: 'dhara_views_lost_total',
      help: 'Views, reports and lines for VIEW_REPORTS that were dropped because too much waited',
      labelNames: ['kind'],
      registers,
      collect: () => {
        const { lostViews, lostReports, droppedLines } = stats();
        lost.reset();
        lost.inc({ kind: 'view' }, lostViews);
        lost.inc({ kind: 'report' }, lostReports);
        lost.inc({ kind: 'line' }, droppedLines);
      },
    });
  }

  /**
   * Adds the figures of webhooks to owners' servers. Returns what counts one attempt.
   *
   * @param lag of all processes, read when somebody asks
   */
  watchWebhooks(
    lag: () => Promise<{ lagSeconds: number; failingEndpoints: number; disabledEndpoints: number }>,
  ): (outcome: 'success' | 'failure', durationMs: number) => void {
    const registers = [this.registry];
    const attempts = new Histogram({
      name: 'dhara_webhook_attempt_duration_seconds',
      help: 'Duration of attempts to deliver a webhook, by outcome',
      labelNames: ['outcome'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers,
    });
    // Without the database, the other figures are still of use.
    const read = together(() => lag().catch(() => null));
    const endpoints: Gauge = new Gauge({
      name: 'dhara_webhook_endpoints',
      help: 'Webhook endpoints that fail, and that were disabled for it',
      labelNames: ['state'],
      registers,
      collect: async (): Promise<void> => {
        const now = await read();
        endpoints.set({ state: 'failing' }, now?.failingEndpoints ?? Number.NaN);
        endpoints.set({ state: 'disabled' }, now?.disabledEndpoints ?? Number.NaN);
      },
    });
    const behind: Gauge = new Gauge({
      name: 'dhara_webhook_lag_seconds',
      help: 'Age of the oldest webhook that is due at an endpoint that works',
      registers,
      collect: async (): Promise<void> => {
        behind.set((await read())?.lagSeconds ?? Number.NaN);
      },
    });
    return (outcome, durationMs) => attempts.observe({ outcome }, durationMs / 1000);
  }

  /** Adds the connections of the database pool. */
  watchPool(
    pool: () => { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number },
  ): void {
    const registers = [this.registry];
    const connections: Gauge = new Gauge({
      name: 'dhara_database_connections',
      help: 'Connections of the database pool, by whether they are in use',
      labelNames: ['state'],
      registers,
      collect: (): void => {
        const { totalCount, idleCount } = pool();
        connections.set({ state: 'idle' }, idleCount);
        connections.set({ state: 'busy' }, totalCount - idleCount);
      },
    });
    const waiting: Gauge = new Gauge({
      name: 'dhara_database_waiting',
      help: 'Statements that wait for a connection of the pool',
      registers,
      collect: (): void => waiting.set(pool().waitingCount),
    });
  }

  /** Adds what all processes have in common: the job queue, open alerts and the last backup. Read when somebody asks. */
  watchService({ backlog, openAlerts, lastBackupAgeSeconds }: ServiceFigures): void {
    const registers = [this.registry];
    // Without the database, the other figures are still of use.
    const read = together(() => backlog().catch(() => []));
    const jobs: Gauge = new Gauge({
      name: 'dhara_queue_jobs',
      help: 'Jobs that wait or run, by kind',
      labelNames: ['kind', 'state'],
      registers,
      collect: async (): Promise<void> => {
        const kinds = await read();
        jobs.reset();
        for (const { kind, waiting, active } of kinds) {
          jobs.set({ kind, state: 'waiting' }, waiting);
          jobs.set({ kind, state: 'active' }, active);
        }
      },
    });
    const oldest: Gauge = new Gauge({
      name: 'dhara_queue_oldest_seconds',
      help: 'How long the oldest job has waited that could run, by kind',
      labelNames: ['kind'],
      registers,
      collect: async (): Promise<void> => {
        const kinds = await read();
        oldest.reset();
        for (const { kind, oldestSeconds } of kinds) oldest.set({ kind }, oldestSeconds);
      },
    });
    const alerts: Gauge = new Gauge({
      name: 'dhara_open_alerts',
      help: 'Unresolved alerts, by kind',
      labelNames: ['kind'],
      registers,
      collect: async (): Promise<void> => {
        const kinds = await openAlerts().catch(() => []);
        alerts.reset();
        for (const { kind, count } of kinds) alerts.set({ kind }, count);
      },
    });
    // Without a label there would be a 0 before the first backup.
    const backup: Gauge = new Gauge({
      name: 'dhara_backup_age_seconds',
      help: 'How long ago the last backup was completed',
      labelNames: ['kind'],
      registers,
      collect: async (): Promise<void> => {
        const seconds = await lastBackupAgeSeconds().catch(() => null);
        backup.reset();
        if (seconds !== null) backup.set({ kind: 'snapshot' }, seconds);
      },
    });
  }

  /** Adds the runs of this worker. Returns what counts one. */
  watchProcessing(): (run: EndedRun) => void {
    const registers = [this.registry];
    const runs = new Histogram({
      name: 'dhara_processing_run_duration_seconds',
      help: 'Duration of processing runs, by outcome: ready, the code of a failure, or retried',
      labelNames: ['outcome'],
      buckets: [5, 15, 60, 300, 900, 3600, 14_400],
      registers,
    });
    const speed = new Histogram({
      name: 'dhara_processing_speed_ratio',
      help: 'Length of the video divided by the duration of the run that made it ready',
      buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8],
      registers,
    });
    const ready = new Histogram({
      name: 'dhara_video_ready_seconds',
      help: 'Time from the purchase of a video until it was ready, with the waiting and every run',
      buckets: [5, 15, 30, 60, 120, 300, 600, 900, 1800, 3600],
      registers,
    });
    return ({ outcome, seconds, videoSeconds, secondsSinceBought }) => {
      runs.observe({ outcome }, seconds);
      if (outcome !== 'ready') return;
      if (seconds > 0) speed.observe(videoSeconds / seconds);
      if (secondsSinceBought !== null) ready.observe(secondsSinceBought);
    };
  }

  /** Adds GraphQL operations. Returns what counts one, by its first field: callers choose names freely. */
  watchOperations(): (field: string, outcome: 'success' | 'error', durationMs: number) => void {
    const operations = new Histogram({
      name: 'dhara_graphql_operation_duration_seconds',
      help: 'Duration of GraphQL operations, by their first field and outcome',
      labelNames: ['field', 'outcome'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [this.registry],
    });
    return (field, outcome, durationMs) => operations.observe({ field, outcome }, durationMs / 1000);
  }

  /** Reports to the parent process whenever it asks. */
  shareWithParent(): void {
    AggregatorRegistry.setRegistries(this.registry);
    void new AggregatorRegistry();
  }

  observe(method: string, route: string, status: number, durationMs: number, sentBytes = 0): void {
    this.sentBytes.set(route, (this.sentBytes.get(route) ?? 0) + sentBytes);
    this.series(KNOWN_METHODS.has(method) ? method : 'other', route, status).observe(durationMs / 1000);
  }

  private series(method: string, route: string, status: number): Series {
    const name = `${method} ${status} ${route}`;
    let series = this.known.get(name);
    if (!series) {
      series = this.durations.add({ method, route, status: String(status) });
      this.known.set(name, series);
    }
    return series;
  }
}

/** Several gauges of one page show one read: the page collects all of them at once. */
function together<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null;
  return () => (reading ??= read().finally(() => (reading = null)));
}

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);
