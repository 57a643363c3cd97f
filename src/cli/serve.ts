import type { App } from '../app.js';
import type { End, Role } from '../app/options.js';
import { isTrial, type Config } from '../config/config.js';
import type { Logger } from '../logger.js';
import { useTracing } from '../tracing.js';
import type { DatabaseAccess } from './databaseAccess.js';
import { announce, seedDemo } from './demo.js';
import { bringUpToDate } from './migrateCommand.js';
import { openApp } from './openApp.js';
import { printer, type Print, type Terminal } from './terminal.js';

export type ServiceRole = 'all' | 'api' | 'worker';

interface ServeOptions {
  role: ServiceRole;
  config: Config;
  database: DatabaseAccess;
  stopping: AbortSignal;
  logger: Logger;
  terminal: Terminal;
}

/** Runs the service on an open database. Resolves once it was told to stop and has drained. */
export async function serve({ role, config, database, stopping, logger, terminal }: ServeOptions): Promise<void> {
  if (role === 'all' || database.embedded) {
    await bringUpToDate(config, database, { waiting: (line) => logger.warn(line) });
  }
  const endTraces = await startTraces(role, config, logger);
  try {
    const app = await openApp(role, config, database, logger);
    await run(app, { role, config, stopping, logger, terminal });
  } finally {
    await endTraces();
  }
}

async function run(
  app: App,
  { role, config, stopping, logger, terminal }: Omit<ServeOptions, 'database'>,
): Promise<void> {
  try {
    await app.start();
    logger.info({ role, url: app.publicUrl }, 'started');
    if (role === 'all') await welcome(app, config, stopping, printer(terminal));
    if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve));
  } finally {
    await app.stop();
  }
}

/** Creates the demo account on a first start, and prints where a new user goes next. */
async function welcome(app: App, config: Config, stopping: AbortSignal, print: Print): Promise<void> {
  const demo = (config.SEED_DEMO ?? isTrial(config)) ? await seedDemo(app, config, stopping, print) : null;
  if (!stopping.aborted) announce(app.publicUrl, demo, print);
}

/** Traces from now on, if a collector is set. Returns what sends the last spans. Without one, nothing is even loaded. */
async function startTraces(role: Role, config: Config, logger: Logger): Promise<End> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return async () => undefined;
  const { OtlpTraces } = await import('../adapters/telemetry/otlpTraces.js');
  const traces = new OtlpTraces({
    endpoint,
    role,
    serviceName: config.OTEL_SERVICE_NAME,
    keptShare: config.OTEL_TRACES_SAMPLER_ARG,
    logger,
  });
  useTracing(traces);
  return async () => {
    useTracing(null);
    await traces.close();
  };
}
