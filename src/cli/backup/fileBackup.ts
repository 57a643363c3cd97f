import { ConfigError, type Config } from '../../config/config.js';
import { backupEmbedded, restoreBackup } from '../../db/embedded/backup/index.js';
import { acquireDataDirLock } from '../../db/embedded/index.js';
import type { Logger } from '../../logger.js';
import { openDatabase } from '../databaseAccess.js';
import { parseOptions } from '../parseOptions.js';
import type { PreparedCommand } from '../preparedCommand.js';
import { megabytes, type Print, printer, printNowAndThen, type Terminal } from '../terminal.js';
import { UsageError } from '../usageError.js';

const BACKUP_USAGE = 'Usage: dhara backup --to FILE';
const RESTORE_USAGE = 'Usage: dhara restore --from FILE [--replace]';

/**
 * `dhara backup --to FILE`: writes the embedded database to one file, also while the service runs.
 * @throws ConfigError
 */
export function prepareBackupToFile(args: readonly string[], terminal: Terminal): PreparedCommand {
  const { to } = parseOptions(args, { to: { type: 'string' } } as const, BACKUP_USAGE);
  if (typeof to !== 'string') throw new UsageError(BACKUP_USAGE);
  return (config, logger) => backUpToFile(to, config, logger, printer(terminal));
}

async function backUpToFile(to: string, config: Config, logger: Logger, print: Print): Promise<number> {
  refuseOwnDatabase(config);
  const database = await openDatabase(config, 'join', logger);
  try {
    const printProgress = printNowAndThen(print);
    const { sizeBytes, hasMasterKey } = await backupEmbedded(config.DATA_DIR, database.migrationUrl, {
      file: to,
      onProgress: ({ doneBytes, totalBytes }) => printProgress(`${megabytes(doneBytes)} of ${megabytes(totalBytes)} …`),
    });
    print(`The database is in ${to} (${megabytes(sizeBytes)}).`);
    print(
      hasMasterKey
        ? 'It includes the master key: anyone who can read it can read every secret of the service.'
        : 'It does not include the master key: keep MASTER_KEY somewhere else, or no secret can be read.',
    );
    print(
      `Videos (${config.DATA_DIR}/store, or the bucket) and ledger seals are not included. Copy the videos after the backup.`,
    );
    return 0;
  } finally {
    await database.close();
  }
}

/** `dhara restore --from FILE [--replace]`: needs a data directory that nothing uses. @throws ConfigError */
export function prepareRestoreFromFile(args: readonly string[], terminal: Terminal): PreparedCommand {
  const options = { from: { type: 'string' }, replace: { type: 'boolean' } } as const;
  const { from, replace = false } = parseOptions(args, options, RESTORE_USAGE);
  if (typeof from !== 'string') throw new UsageError(RESTORE_USAGE);
  return (config, logger) => restoreFromFile({ from, replace }, config, logger, printer(terminal));
}

async function restoreFromFile(
  { from, replace }: { readonly from: string; readonly replace: boolean },
  config: Config,
  logger: Logger,
  print: Print,
): Promise<number> {
  refuseOwnDatabase(config);
  const lock = await acquireDataDirLock(config.DATA_DIR);
  try {
    const printProgress = printNowAndThen(print);
    const { takenAt } = await restoreBackup({
      dataDir: config.DATA_DIR,
      file: from,
      replace,
      log: logger,
      onProgress: (doneBytes) => printProgress(`${megabytes(doneBytes)} …`),
    });
    print(`The database is as it was at ${takenAt.toISOString()}. Start the service, then run: dhara ledger verify`);
    print('If it names blocks that the archive has and the database has lost, see: dhara ledger reconcile-seals');
    return 0;
  } finally {
    await lock.release();
  }
}

function refuseOwnDatabase({ DATABASE_URL }: Config): void {
  if (!DATABASE_URL) return;
  throw new ConfigError('DATABASE_URL names your own database, which is not backed up to a file: see docs/backups.md.');
}
