#!/usr/bin/env node
import './cli/compactHeap.js';
import 'reflect-metadata';

import { StoreRefusedError } from './adapters/store/refused.js';
import { runAdminCommand } from './cli/adminCommands.js';
import { runDoctor } from './cli/doctorCommand.js';
import { helpText } from './cli/help.js';
import { runMigrate, runService } from './cli/serviceCommands.js';
import { stopWithNpm } from './cli/stopWithNpm.js';
import { ConfigError, loadConfig } from './config.js';
import { DataDirLockedError, EmbeddedPostgresError } from './db/embedded/index.js';
import { AppError } from './errors.js';
import { createLogger } from './logger.js';
import { TranscoderUnavailableError } from './ports/transcoder.js';

const ADMIN_COMMANDS = new Set(['user', 'keys', 'ledger', 'storage', 'store']);

/** Picks the role. Resolves to the exit code; a service resolves when it has been told to stop. */
async function main(args: readonly string[]): Promise<number> {
  const [command = 'help', ...rest] = args;
  if (command === 'help' || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText());
    return 0;
  }
  const config = loadConfig(process.env);
  const logger = createLogger(config.LOG_LEVEL);
  if (command === 'all' || command === 'api' || command === 'worker') return runService(command, config, logger);
  if (command === 'migrate') return runMigrate(config, logger);
  if (command === 'doctor') return runDoctor(rest, config);
  if (ADMIN_COMMANDS.has(command)) return runAdminCommand([command, ...rest], config, logger);
  throw new ConfigError(`There is no command "${command}". dhara --help lists them.`);
}

/** Whatever a person can mend is one line; a bug shows its stack. */
function report(error: unknown): void {
  if (error instanceof StoreRefusedError) {
    report(new ConfigError(`${error.message} Look at the settings S3_*, and at what their key may do.`));
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
// Whatever is still open by now, a socket of a library for instance, must not keep a finished command alive.
process.exit();
