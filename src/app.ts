import cluster from 'node:cluster';

import { openPort } from './app/openPort.js';
import { isTrial } from './config/config.js';
import { watchPostings } from './api/http/countedMetrics.js';
import { serveMetrics } from './api/http/metricsServer.js';
import type { AppOptions, End } from './app/options.js';
import { createServices, type Services } from './app/services.js';
import { startApi } from './app/startApi.js';
import { openTranscoder, startWorker } from './app/startWorker.js';
import { observePostings } from './domain/ledger/postingObserver.js';
import { HttpMetrics } from './api/http/metrics.js';
import { traceServices } from './tracing.js';

export type { AppOptions, Role } from './app/options.js';

/** The constructed service. `start` starts what the role serves; `stop` stops it. */
export interface App extends Services {
  readonly publicUrl: string;
  start(): Promise<void>;
  /** Drains requests, hands jobs back and closes every connection, in less than ten seconds. */
  stop(): Promise<void>;
}

/** The composition root: only this file and `app/` construct services and adapters. */
export async function createApp(options: AppOptions): Promise<App> {
  const { role, publicUrl } = options;
  const services = await createServices(options);
  traceServices(services);
  const metrics = new HttpMetrics();
  metrics.watchPool(() => services.db.pool);
  const endPostings = observePostings(watchPostings(metrics.registry));
  const entryPoints: End[] = [];
  const foundations: End[] = [
    async () => endPostings(),
    () => services.db.close(),
    () => services.identity.close(),
    async () => services.stores.close(),
    async () => services.playback.close(),
  ];
  return {
    ...services,
    publicUrl,
    async start() {
      if (role === 'admin') return;
      // First, because its port may be taken. Then nothing is served and no job starts.
      entryPoints.push(await startMetrics(options, metrics));
      const transcoder = role === 'api' ? null : openTranscoder(options);
      await services.queue.start();
      foundations.push(() => services.queue.stop());
      foundations.push(await watchClock(options, services));
      if (transcoder) entryPoints.push(await startWorker(options, services, transcoder, metrics));
      if (role !== 'worker') entryPoints.push(await startApi(options, services, metrics));
    },
    async stop() {
      // Requests drain while jobs are handed back. One after the other would exceed the time for a stop.
      await Promise.all(entryPoints.splice(0).map((end) => end()));
      for (const end of foundations.splice(0).toReversed()) await end();
    },
  };
}

/**
 * Serves metrics on METRICS_PORT, which the parent of a forked process uses. If it is not set, a trial service uses a
 * free port, and any other service serves no metrics.
 */
async function startMetrics({ config, logger }: AppOptions, metrics: HttpMetrics): Promise<End> {
  if (cluster.isWorker) {
    metrics.shareWithParent();
    return async () => undefined;
  }
  const port = config.METRICS_PORT ?? (isTrial(config) ? 0 : null);
  if (port === null) return async () => undefined;
  const host = config.METRICS_HOST;
  const server = await openPort({ setting: 'METRICS_PORT', host, port }, serveMetrics(metrics, host, port));
  logger.info({ host, port: server.port }, 'metrics are at /metrics');
  return () => server.stop();
}

const LOOK_EVERY_MS = 60_000;

/** Checks the database's clock, now and every minute, in each process. Returns a function that stops it. */
async function watchClock({ logger }: AppOptions, { clock }: Services): Promise<End> {
  const look = async (): Promise<void> => {
    try {
      if (!(await clock.look())) logger.warn({ scope: 'clock' }, 'Daily charges are on hold: see dhara clock');
    } catch (error) {
      logger.warn({ scope: 'clock', err: error }, 'could not check the clock');
    }
  };
  await look();
  let looking = Promise.resolve();
  const timer = setInterval(() => (looking = looking.then(look)), LOOK_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
