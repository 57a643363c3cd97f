import type { HttpMetrics } from '../api/http/metrics.js';
import { serveMetrics } from '../api/http/metricsServer.js';
import { isTrial } from '../config/config.js';
import { openPort } from './openPort.js';
import type { AppOptions, End } from './options.js';

/** On METRICS_PORT; where nobody set one, on a free port of a service that is only tried out, and nowhere else. */
export async function startMetrics({ config, logger }: AppOptions, metrics: HttpMetrics): Promise<End> {
  const port = config.METRICS_PORT ?? (isTrial(config) ? 0 : null);
  if (port === null) return async () => undefined;
  const host = config.METRICS_HOST;
  const server = await openPort({ setting: 'METRICS_PORT', host, port }, serveMetrics(metrics, host, port));
  logger.info({ host, port: server.port }, 'metrics are at /metrics');
  return () => server.stop();
}
