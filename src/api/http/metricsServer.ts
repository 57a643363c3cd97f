import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { MetricsText } from './metrics.js';

/** Enough for one or two monitors that poll every few seconds. */
const LIMITS = { headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 65_000, maxHeaderSize: 8192 };
const MAX_CONNECTIONS = 32;

export interface MetricsServer {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Serves only `/metrics`, on its own port, so that no proxy exposes it by accident.
 *
 * @throws the listen error, such as EADDRINUSE
 */
export async function serveMetrics(metrics: MetricsText, host: string, port: number): Promise<MetricsServer> {
  const server = createServer(LIMITS, (req, res) => {
    answer(metrics, req, res).catch(() => res.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(metrics: MetricsText, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'GET' || req.url?.split('?')[0] !== '/metrics') {
    res.writeHead(404, { 'Content-Type': 'text/plain' }).end('Metrics are at /metrics.\n');
    return;
  }
  const text = await metrics.text();
  res.writeHead(200, { 'Content-Type': metrics.contentType }).end(text);
}
