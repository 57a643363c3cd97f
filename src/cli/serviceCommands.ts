import { createApp, type App } from '../app.js';
import { publicUrlOf, type Config } from '../config.js';
import { findFreePort } from '../db/embedded/port.js';
import { migrate } from '../db/migrate.js';
import { installVirtualClock, setClockOffset } from '../db/virtualClock.js';
import type { Logger } from '../logger.js';
import { openDatabase, refuseOldSchema, type DatabaseAccess } from './databaseAccess.js';
import { announce, seedDemo } from './demo.js';
import { loadMasterKey } from './masterKey.js';

export type ServiceRole = 'all' | 'api' | 'worker';

/** Runs until SIGTERM or SIGINT, then drains. Resolves to the exit code; nothing half-starts. */
export async function runService(role: ServiceRole, given: Config, logger: Logger): Promise<number> {
  const config = given.PORT === 0 ? { ...given, PORT: await findFreePort() } : given;
  const stopping = stopSignal();
  const database = await openDatabase(config, role === 'all' ? 'own' : 'join', logger);
  try {
    if (role === 'all' || database.embedded) await bringUpToDate(config, database);
    await refuseOldSchema(database, logger);
    const app = await createApp({
      role,
      config,
      masterKey: await loadMasterKey(config),
      runtimeUrl: database.runtimeUrl,
      publicUrl: publicUrlOf(config),
      logger,
    });
    try {
      await app.start();
      logger.info({ role, url: app.publicUrl }, 'started');
      if (role === 'all') await welcome(app, config, stopping);
      if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve));
    } finally {
      await app.stop();
    }
  } finally {
    await database.close();
  }
  logger.info('stopped');
  return 0;
}

/** `dhara migrate`. */
export async function runMigrate(config: Config, logger: Logger): Promise<number> {
  const database = await openDatabase(config, 'join', logger);
  try {
    await bringUpToDate(config, database);
  } finally {
    await database.close();
  }
  process.stdout.write('The database is up to date.\n');
  return 0;
}

/** The demo account on a first start, and the lines that tell a newcomer where to go. */
async function welcome(app: App, config: Config, stopping: AbortSignal): Promise<void> {
  const demo = (config.SEED_DEMO ?? !config.DATABASE_URL) ? await seedDemo(app, config, stopping) : null;
  if (!stopping.aborted) announce(app.publicUrl, demo);
}

async function bringUpToDate(config: Config, database: DatabaseAccess): Promise<void> {
  await migrate(database);
  if (config.CLOCK_OFFSET_SECONDS !== 0) {
    await installVirtualClock(database.migrationUrl);
    await setClockOffset(database.migrationUrl, config.CLOCK_OFFSET_SECONDS * 1000);
  }
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
