import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

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

/** What `/metrics` shows: the process, and requests by route. Labels are routes, never paths with ids. */
export class HttpMetrics implements MetricsText {
  readonly registry = new Registry();
  private readonly durations = new RequestDurations();
  private readonly known = new Map<string, Series>();

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
    this.durations.register(this.registry);
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

  /** Reports to the parent process whenever it asks. */
  shareWithParent(): void {
    AggregatorRegistry.setRegistries(this.registry);
    void new AggregatorRegistry();
  }

  observe(method: string, route: string, status: number, durationMs: number): void {
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

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);
