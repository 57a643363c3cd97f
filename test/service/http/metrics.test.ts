import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';

import { HttpMetrics } from '../../../src/api/http/metrics.js';

const MEASURED = [
  ['GET', '/v1/video', 200, [0, 1.9, 2, 2.1, 49, 9_999, 10_000, 60_000]],
  ['GET', '/v1/video', 401, [3]],
  ['POST', '/media/:grant "quoted"\\', 500, [700, 800]],
] as const;

describe('the durations of requests', () => {
  it('read as the library writes them', async () => {
    const metrics = new HttpMetrics();
    const registry = new Registry();
    const library = new Histogram({
      name: 'dhara_http_request_duration_seconds',
      help: 'Duration of HTTP requests by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    });
    for (const [method, route, status, durations] of MEASURED) {
      for (const durationMs of durations) {
        metrics.observe(method, route, status, durationMs);
        library.observe({ method, route, status }, durationMs / 1000);
      }
    }
    const ours = (await metrics.text())
      .split('\n')
      .filter((line) => line.includes('dhara_http_request_duration_seconds'));
    expect(ours.map(sorted)).toEqual((await registry.metrics()).trimEnd().split('\n').map(sorted));
  });
});

/** With the labels of each line in one order. */
function sorted(line: string): string {
  return line.replace(/\{(.*)\}/, (_, labels: string) => labels.split(',').toSorted().join());
}
