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
import { traceIds } from '../tracing.js';
import { helpText } from './help.js';
import { ownPackage } from './ownPackage.js';
import type { Terminal } from './terminal.js';

const ADMIN_COMMANDS = new Set(['user', 'keys', 'ledger', 'clock', 'erase', 'personal-data', 'storage', 'store']);

/**
 * Runs `dhara <args>`. Resolves to the exit code; a service resolves after it was told to stop. Errors are printed, bugs
 * with their stack.
 */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    terminal.errors.write(`dhara: ${describe(error)}\n`);
    return 1;
  }
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
  const { ownerCommand, runOwnerCommand } = await import('./owner/run.js');
  const owners = ownerCommand(args);
  if (owners !== undefined) return Promise.race([runOwnerCommand(owners, rest, terminal), closed]);
  const config = loadConfig(terminal.env, { servesVisitors: command === 'api' || command === 'all' });
  const logger = createLogger(config.LOG_LEVEL, config.OTEL_EXPORTER_OTLP_ENDPOINT ? traceIds : undefined);
  // Each command loads only what it needs.
  if (command === 'all' || command === 'api' || command === 'worker') {
    const { runService } = await import('./serviceCommands.js');
    return runService(command, config, logger, terminal);
  }
  if (command === 'migrate') {
    const { runMigrate } = await import('./migrateCommand.js');
    return runMigrate(rest, config, logger, terminal);
  }
  if (command === 'backup' || command === 'restore') {
    const { runBackup, runRestore } = await import('./backup/commands.js');
    const runIt = command === 'backup' ? runBackup : runRestore;
    return runIt(rest, config, logger, terminal);
  }
  if (command === 'export' || command === 'import') {
    const { runMove } = await import('./moveCommands.js');
    return runMove(command, rest, config, logger, terminal);
  }
  if (command === 'plan') {
    const { runPlan } = await import('./planCommand.js');
    return runPlan(rest, config, terminal);
  }
  if (command === 'doctor') {
    const { runDoctor } = await import('./doctorCommand.js');
    return runDoctor(rest, config, terminal);
  }
  if (ADMIN_COMMANDS.has(command)) {
    const { runAdminCommand } = await import('./adminCommands.js');
    return runAdminCommand([command, ...rest], config, logger, terminal);
  }
  throw new ConfigError(`Unknown command "${command}". Run dhara --help for the list.`);
}

/**
 * Resolves to the exit code of a command for owners once nobody reads its output any more, as after `dhara videos | head`.
 * Operators' commands do their work to the end all the same.
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
