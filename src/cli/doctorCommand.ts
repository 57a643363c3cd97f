import { createFfmpegTranscoder } from '../adapters/transcode/ffmpegTranscoder.js';
import { createApp, type App } from '../app.js';
import { publicUrlOf, type Config } from '../config/config.js';
import { PostgresDatabase } from '../db/database.js';
import { ReadReplica } from '../db/readReplica.js';
import { pendingMigrations } from '../db/pendingMigrations.js';
import { found, NOTHING, type Check } from '../domain/operations/doctor/check.js';
import { allChecks } from '../domain/operations/doctor/checks/index.js';
import { Doctor, type CheckReport, type DoctorReport } from '../domain/operations/doctor/doctor.js';
import type { Services } from '../domain/operations/doctor/services.js';
import { createLogger } from '../logger.js';
import { openDatabase } from './databaseAccess.js';
import { loadMasterKey } from './masterKey.js';
import { parseOptions } from './parseOptions.js';
import type { PreparedCommand } from './preparedCommand.js';
import type { Terminal } from './terminal.js';

const USAGE = 'Usage: dhara doctor [--repair] [--json]';
/** Few, because a running service has its own connections. */
const CONNECTIONS = 2;

/**
 * `dhara doctor [--repair] [--json]`. Exits with 0 if nothing is stuck (any more), with 1 if something is, or could not
 * be checked.
 *
 * @throws UsageError for any other option
 */
export function prepareDoctor(args: readonly string[], terminal: Terminal): PreparedCommand {
  const options = optionsOf(args);
  return (config) => runDoctor(options, config, terminal);
}

async function runDoctor(
  { repair, json }: ReturnType<typeof optionsOf>,
  config: Config,
  terminal: Terminal,
): Promise<number> {
  // Standard output is only for the report.
  const logger = createLogger('silent');
  const database = await openDatabase(config, 'join', logger);
  const stop = new AbortController();
  const onSigint = (): void => stop.abort();
  process.once('SIGINT', onSigint);
  try {
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: CONNECTIONS });
    const opened = await openApp(config, database.runtimeUrl);
    try {
      const services: Services = () => {
        if (opened.app) return opened.app;
        throw new Error(`the service cannot be set up: ${opened.reason}`);
      };
      const checks = () => [
        assembly(opened.reason),
        ...allChecks(services, {
          pendingMigrations: () => pendingMigrations(db.sql),
          nowMs: () => Date.now(),
          replicaFault: () => replicaFault(config, db),
          findSandbox: () => findSandbox(config),
        }),
      ];
      const report = await new Doctor({ db, checks }).examine({ repair, signal: stop.signal });
      terminal.output.write(json ? `${JSON.stringify(report, null, 2)}\n` : describeReport(report));
      return report.healthy ? 0 : 1;
    } finally {
      await close(opened.app);
      await db.close();
    }
  } finally {
    process.off('SIGINT', onSigint);
    await database.close();
  }
}

function optionsOf(args: readonly string[]): { repair: boolean; json: boolean } {
  const options = { repair: { type: 'boolean' }, json: { type: 'boolean' } } as const;
  const { repair = false, json = false } = parseOptions(args, options, USAGE);
  return { repair, json };
}

type Opened = { readonly app: App; readonly reason: null } | { readonly app: null; readonly reason: string };

/** If the service cannot be constructed, that is a finding too; checks that need only the database still run. */
async function openApp(config: Config, runtimeUrl: string): Promise<Opened> {
  const logger = createLogger('silent');
  try {
    const masterKey = await loadMasterKey(config);
    const app = await createApp({
      role: 'admin',
      config,
      masterKey,
      runtimeUrl,
      logger,
      publicUrl: publicUrlOf(config),
    });
    try {
      // Repairs send jobs; without `works`, this process consumes none.
      await app.queue.start();
    } catch (error) {
      await app.stop();
      throw error;
    }
    return { app, reason: null };
  } catch (error) {
    return { app: null, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function close(app: App | null): Promise<void> {
  if (!app) return;
  await app.queue.stop();
  await app.stop();
}

function assembly(reason: string | null): Check {
  return {
    name: 'service',
    title: 'the service cannot be set up',
    remedy: 'Fix this first: many of the other checks need the service.',
    find: () => Promise.resolve(reason === null ? NOTHING : found([{ subject: 'service', since: null, why: reason }])),
  };
}

function replicaFault(config: Config, primary: PostgresDatabase): Promise<string | null> {
  const { DATABASE_READ_URL: url, DATABASE_READ_LAG_SECONDS: maxLagSeconds } = config;
  if (url === undefined) return Promise.resolve(null);
  return ReadReplica.faultOf({
    primary,
    url,
    maxConnections: 1,
    maxLagMs: maxLagSeconds * 1000,
    refusesUnfitRole: config.NODE_ENV === 'production',
    log: () => undefined,
  });
}

async function findSandbox(config: Config) {
  const transcoder = await createFfmpegTranscoder({ ffmpegPath: config.FFMPEG_PATH, searchPath: config.PATH });
  return transcoder.describeSandbox();
}

/** The report for a person: problems in full, healthy checks by name. Ends with a newline. */
function describeReport({ checks, healthy }: DoctorReport): string {
  const fine = checks.filter((check) => check.error === null && check.findings.count === 0);
  const lines = checks.flatMap(describeCheck);
  if (fine.length > 0) lines.push(`fine: ${fine.map((check) => check.name).join(', ')}`);
  lines.push(
    healthy ? 'Nothing is stuck.' : `${checks.length - fine.length} of ${checks.length} checks found something.`,
  );
  return `${lines.join('\n')}\n`;
}

function describeCheck({ name, title, remedy, canRepair, findings, error, repair }: CheckReport): string[] {
  const lines: string[] = [];
  if (repair) lines.push(`REPAIRED ${name}: ${title} (${repair.before} before, ${findings.count} now)`);
  if (error !== null) lines.push(`FAILED ${name}: ${error}`);
  if (findings.count > 0) {
    lines.push(`FOUND ${name}: ${title} (${findings.count})`);
    for (const { subject, since, why } of findings.rows) {
      lines.push(`  ${since ? `since ${since.toISOString()}  ` : ''}${subject}`, `    ${why}`);
    }
    const more = findings.count - findings.rows.length;
    if (more > 0) lines.push(`  … and ${more} more`);
    lines.push(`  ${canRepair ? '--repair: ' : 'What to do: '}${remedy}`);
  }
  if (findings.note) lines.push(`  Note: ${findings.note}`);
  return lines;
}
