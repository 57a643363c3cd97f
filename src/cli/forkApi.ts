import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { ForkedMetrics } from '../api/http/metrics.js';
import { serveMetrics } from '../api/http/metricsServer.js';
import { openPort } from '../app/openPort.js';
import type { Config } from '../config/config.js';
import type { Logger } from '../logger.js';

interface ForkOptions {
  readonly processes: number;
  readonly config: Config;
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

/** A process that ends sooner is replaced after a pause: whatever ended it may end the next one too. */
const SOUND_AFTER_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Serves the port with several processes of `dhara api`, each as complete as if it ran alone. This process only
 * distributes connections, replaces processes that end, and adds up their metrics. Resolves to the exit code once it
 * was told to stop and all have drained.
 *
 * The first process starts alone, so that an error at start, such as a database that is not migrated, is reported once.
 */
export async function forkApi({ processes, config, stopping, logger }: ForkOptions): Promise<number> {
  const { METRICS_PORT: port, METRICS_HOST: host } = config;
  const metrics =
    port === undefined
      ? null
      : await openPort({ setting: 'METRICS_PORT', host, port }, serveMetrics(new ForkedMetrics(), host, port));
  const fork = () => cluster.fork({ PORT: String(config.PORT) });
  stopping.addEventListener('abort', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  });
  try {
    const first = fork();
    const refused = await Promise.race([once(first, 'listening').then(() => null), exitOf(first)]);
    if (refused !== null) return stopping.aborted ? 0 : refused;
    const lanes = [keepRunning(first), ...Array.from({ length: processes - 1 }, () => keepRunning(fork()))];
    logger.info({ processes, port: config.PORT, metricsPort: metrics?.port }, 'started several processes');
    await Promise.all(lanes);
    return 0;
  } finally {
    await metrics?.stop();
  }

  /** Restarts the process until the service is told to stop. */
  async function keepRunning(worker: Worker): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let running = worker; ; running = fork()) {
      const sinceMs = performance.now();
      const code = await exitOf(running);
      if (stopping.aborted) return;
      const isSound = performance.now() - sinceMs > SOUND_AFTER_MS;
      if (isSound) pauseMs = FIRST_PAUSE_MS;
      logger.error({ code, pid: running.process.pid }, 'a process ended; replacing it');
      if (!isSound) {
        await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
      if (stopping.aborted) return;
    }
  }
}

/** Resolves to the exit code; 1 if a signal ended it. */
async function exitOf(worker: Worker): Promise<number> {
  if (worker.isDead()) return worker.process.exitCode ?? 1;
  const [code] = (await once(worker, 'exit')) as [number | null];
  return code ?? 1;
}
