import 'reflect-metadata';

import { StoreRefusedError } from '../adapters/store/refused.js';
import { ConfigError, loadConfig } from '../config/config.js';
import { DataDirLockedError, EmbeddedPostgresError } from '../db/embedded/errors.js';
import { MigrationError } from '../db/migrationErrors.js';
import { AppError } from '../errors.js';
import { createLogger } from '../logger.js';
import { MoveError } from '../ports/accountArchive.js';
import { BackupError } from '../ports/backupRepository.js';
import { TranscoderUnavailableError } from '../ports/transcoder.js';
import { UnusableSourceError } from '../ports/transcoderErrors.js';
import { traceIds } from '../tracing.js';
import { helpText } from './help.js';
import { InterruptedError, NotLoggedInError, ServiceError } from './owner/errors.js';
import { readable } from './owner/output.js';
import { ownerCommand, runOwnerCommand } from './owner/run.js';
import { ownPackage } from './ownPackage.js';
import type { PreparedCommand } from './preparedCommand.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usageError.js';

const ADMIN_COMMANDS = new Set(['user', 'keys', 'ledger', 'clock', 'erase', 'personal-data', 'storage', 'store']);

const COMMANDS = new Set([
  'all',
  'api',
  'worker',
  'migrate',
  'backup',
  'restore',
  'export',
  'import',
  'plan',
  'doctor',
  ...ADMIN_COMMANDS,
]);

/**
 * Runs `dhara <args>`. Resolves to the exit code; a service resolves after it was told to stop. Errors go to standard
 * error: for people as text, bugs with their stack; with `--json` as a line of JSON.
 */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    const { exitCode, code } = failureOf(error);
    const message = describe(error);
    const json = JSON.stringify({ error: { code, message } });
    if (exitCode !== INTERRUPTED) terminal.errors.write(args.includes('--json') ? `${json}\n` : `dhara: ${message}\n`);
    return exitCode;
  }
}

/** What shells report for a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** How scripts tell failures apart. */
function failureOf(error: unknown): { exitCode: number; code: string } {
  if (error instanceof UsageError) return { exitCode: 2, code: 'USAGE' };
  if (error instanceof NotLoggedInError) return { exitCode: 3, code: 'NOT_LOGGED_IN' };
  if (error instanceof InterruptedError) return { exitCode: INTERRUPTED, code: 'INTERRUPTED' };
  const hasCode = error instanceof ServiceError || error instanceof AppError || error instanceof UnusableSourceError;
  return { exitCode: 1, code: hasCode ? error.code : 'FAILED' };
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [command = 'help', ...rest] = args;
  const closed = outputClosed(terminal);
  if (command === 'help' || args.includes('--help') || args.includes('-h')) {
    terminal.output.write(helpText());
    return 0;
  }
  if (command === '--version') {
    terminal.output.write(`dhara ${ownPackage().version}\n`);
    return 0;
  }
  // Owners' commands talk to a service over the network and need none of its settings.
  const owners = ownerCommand(args);
  if (owners !== undefined) return Promise.race([runOwnerCommand(owners, rest, terminal).then(() => 0), closed]);
  if (!COMMANDS.has(command)) throw new UsageError(`Unknown command "${command}". Run dhara --help for the list.`);
  // Arguments come before settings: a mistyped option is reported even where the settings are not those of the service.
  const runCommand = await prepare(command, rest, terminal);
  const config = loadConfig(terminal.env, { servesVisitors: command === 'api' || command === 'all' });
  return runCommand(config, createLogger(config.LOG_LEVEL, config.OTEL_EXPORTER_OTLP_ENDPOINT ? traceIds : undefined));
}

/** Each command loads only what it needs. @throws UsageError */
async function prepare(command: string, rest: readonly string[], terminal: Terminal): Promise<PreparedCommand> {
  if (command === 'all' || command === 'api' || command === 'worker') {
    if (rest.length > 0) throw new UsageError(`Usage: dhara ${command}`);
    const { runService } = await import('./serviceCommands.js');
    return (config, logger) => runService(command, config, logger, terminal);
  }
  if (command === 'migrate') {
    const { prepareMigrate } = await import('./migrateCommand.js');
    return prepareMigrate(rest, terminal);
  }
  if (command === 'backup' || command === 'restore') {
    const { prepareBackup, prepareRestore } = await import('./backup/commands.js');
    return command === 'backup' ? prepareBackup(rest, terminal) : prepareRestore(rest, terminal);
  }
  if (command === 'export' || command === 'import') {
    const { prepareMove } = await import('./moveCommands.js');
    return prepareMove(command, rest, terminal);
  }
  if (command === 'plan') {
    const { preparePlan } = await import('./planCommand.js');
    return preparePlan(rest, terminal);
  }
  if (command === 'doctor') {
    const { prepareDoctor } = await import('./doctorCommand.js');
    return prepareDoctor(rest, terminal);
  }
  const { prepareAdminCommand } = await import('./adminCommands.js');
  return prepareAdminCommand([command, ...rest], terminal);
}

/**
 * Resolves to the exit code of a command for owners once nobody reads its output any more, as after `dhara videos | head`.
 * Commands for operators finish their work anyway.
 */
function outputClosed({ output }: Terminal): Promise<number> {
  return new Promise((resolve) => {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      resolve(0);
    });
  });
}

/** One line for a problem that a person can fix; a bug with its stack. */
function describe(error: unknown): string {
  if (error instanceof UsageError || error instanceof NotLoggedInError || error instanceof ServiceError) {
    return readable(error.message);
  }
  if (error instanceof UnusableSourceError) return `${error.message} (${error.code})`;
  if (error instanceof StoreRefusedError) return `${error.message} Check the S3_* settings, and what their key may do.`;
  const mendable =
    error instanceof ConfigError ||
    error instanceof DataDirLockedError ||
    error instanceof EmbeddedPostgresError ||
    error instanceof BackupError ||
    error instanceof MigrationError ||
    error instanceof MoveError ||
    error instanceof AppError ||
    error instanceof TranscoderUnavailableError ||
    (error instanceof Error && 'syscall' in error);
  return error instanceof Error ? (mendable ? error.message : (error.stack ?? error.message)) : String(error);
}
