import type { Config } from '../config/config.js';
import { findFreePort } from '../db/embedded/port.js';
import type { Logger } from '../logger.js';
import { openDatabase } from './databaseAccess.js';
import type { ServiceRole } from './serve.js';

/** Runs until SIGTERM or SIGINT, then drains. Resolves to the exit code; nothing half-starts. */
export async function runService(role: ServiceRole, given: Config, logger: Logger): Promise<number> {
  const config = given.PORT === 0 ? { ...given, PORT: await findFreePort() } : given;
  const stopping = stopSignal();
  const opening = openDatabase(config, role === 'all' ? 'own' : 'join', logger);
  // PostgreSQL starts while the rest of the program loads, which takes longer.
  const [database, { serve }] = await Promise.all([opening, import('./serve.js')]);
  try {
    await serve({ role, config, database, stopping, logger });
  } finally {
    await database.close();
  }
  logger.info('stopped');
  return 0;
}

/** However a drain goes, the process is gone after this long. */
const STOP_DEADLINE_MS = 10_000;

/** Aborts on SIGTERM or SIGINT, which may come twice: from the terminal and from npm, which passes it on. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) return;
    controller.abort();
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return controller.signal;
}
