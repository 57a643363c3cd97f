import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';

import { type Config, ConfigError } from '../config/config.js';
import { findFreePort } from '../db/embedded/port.js';
import type { Logger } from '../logger.js';
import { openDatabase } from './databaseAccess.js';
import type { ServiceRole } from './serve.js';
import type { Terminal } from './terminal.js';

/** Runs until SIGTERM or SIGINT, then drains. Resolves to the exit code. Never starts partially. */
export async function runService(
  role: ServiceRole,
  given: Config,
  logger: Logger,
  terminal: Terminal,
): Promise<number> {
  const config = given.PORT === 0 ? { ...given, PORT: await findFreePort() } : given;
  const processes = config.WEB_CONCURRENCY === 'auto' ? availableParallelism() : config.WEB_CONCURRENCY;
  const isParent = role === 'api' && processes > 1 && cluster.isPrimary;
  // The parent waits for all of its processes.
  const stopping = stopSignal(isParent ? 2 * STOP_DEADLINE_MS : STOP_DEADLINE_MS);
  if (isParent) {
    if (!config.DATABASE_URL) {
      throw new ConfigError('WEB_CONCURRENCY: several processes need their own database. Set DATABASE_URL.');
    }
    const { forkApi } = await import('./forkApi.js');
    return forkApi({ processes, config, stopping, logger });
  }
  const opening = openDatabase(config, role === 'all' ? 'own' : 'join', logger);
  // PostgreSQL starts while the rest of the program loads, which takes longer.
  const [database, { serve }] = await Promise.all([opening, import('./serve.js')]);
  try {
    await serve({ role, config, database, stopping, logger, terminal });
  } finally {
    await database.close();
  }
  logger.info('stopped');
  return 0;
}

/** The process ends after this long, whether or not it has drained. */
const STOP_DEADLINE_MS = 10_000;

/** Aborts on SIGTERM or SIGINT. The signal may come twice: from the terminal, and from npm, which forwards it. */
function stopSignal(deadlineMs: number): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) return;
    controller.abort();
    setTimeout(() => process.exit(1), deadlineMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return controller.signal;
}
