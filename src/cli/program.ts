import 'reflect-metadata';

import { StoreRefusedError } from '../adapters/store/refused.js';
import { ConfigError, loadConfig } from '../config/config.js';
import { DataDirLockedError, EmbeddedPostgresError } from '../db/embedded/errors.js';
import { AppError } from '../errors.js';
import { createLogger } from '../logger.js';
import { TranscoderUnavailableError } from '../ports/transcoder.js';
import { helpText } from './help.js';
import { stopWithNpm } from './stopWithNpm.js';

const ADMIN_COMMANDS = new Set(['user', 'keys', 'ledger', 'clock', 'storage', 'store']);

/** Runs the command. Resolves to the exit code; a service resolves after it was told to stop. */
async function main(args: readonly string[]): Promise<number> {
  const [command = 'help', ...rest] = args;
  if (command === 'help' || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText());
    return 0;
  }
  // Owners' commands talk to a service over the network and need none of its settings.
  const { ownerCommand, runOwnerCommand } = await import('./owner/run.js');
  const owners = ownerCommand(args);
  if (owners !== undefined) return runOwnerCommand(owners, rest);
  const config = loadConfig(process.env, { servesVisitors: command === 'api' || command === 'all' });
  const logger = createLogger(config.LOG_LEVEL);
  // Each command loads only what it needs.
  if (command === 'all' || command === 'api' || command === 'worker') {
    const { runService } = await import('./serviceCommands.js');
    return runService(command, config, logger);
  }
  if (command === 'migrate') {
    const { runMigrate } = await import('./migrateCommand.js');
    return runMigrate(config, logger);
  }
  if (command === 'backup' || command === 'restore') {
    const { runBackup, runRestore } = await import('./backupCommands.js');
    return command === 'backup' ? runBackup(rest, config, logger) : runRestore(rest, config, logger);
  }
  if (command === 'plan') {
    const { runPlan } = await import('./planCommand.js');
    return runPlan(rest, config);
  }
  if (command === 'doctor') {
    const { runDoctor } = await import('./doctorCommand.js');
    return runDoctor(rest, config);
  }
  if (ADMIN_COMMANDS.has(command)) {
    const { runAdminCommand } = await import('./adminCommands.js');
    return runAdminCommand([command, ...rest], config, logger);
  }
  throw new ConfigError(`Unknown command "${command}". Run dhara --help for the list.`);
}

/** Reports problems that a person can fix in one line; bugs with their stack. */
function report(error: unknown): void {
  if (error instanceof StoreRefusedError) {
    report(new ConfigError(`${error.message} Check the S3_* settings, and what their key may do.`));
    return;
  }
  const mendable =
    error instanceof ConfigError ||
    error instanceof DataDirLockedError ||
    error instanceof EmbeddedPostgresError ||
    error instanceof AppError ||
    error instanceof TranscoderUnavailableError ||
    (error instanceof Error && 'syscall' in error);
  const text = error instanceof Error ? (mendable ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`dhara: ${text}\n`);
}

stopWithNpm(process.env['npm_lifecycle_event']);
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  report(error);
  return 1;
});
// Anything still open, such as a socket of a library, must not keep a finished command alive.
process.exit();
