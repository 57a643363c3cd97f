import { ResticRepository } from '../../adapters/backup/resticRepository.js';
import { ConfigError, type Config } from '../../config/config.js';
import type { Logger } from '../../logger.js';
import type { BackupRepository } from '../../ports/backupRepository.js';
import { openDatabase } from '../databaseAccess.js';
import { openApp } from '../openApp.js';
import { parseOptions } from '../parseOptions.js';
import type { PreparedCommand } from '../preparedCommand.js';
import { megabytes, type Print, printer, type Terminal } from '../terminal.js';
import { prepareBackupToFile, prepareRestoreFromFile } from './fileBackup.js';
import type { WantedSnapshot } from './findSnapshot.js';
import { checkRestored } from './checkRestored.js';
import { restoreSnapshot } from './restoreSnapshot.js';
import { takeSnapshot } from './takeSnapshot.js';
import { UsageError } from '../usageError.js';

const BACKUP_USAGE =
  'Usage: dhara backup --repository REPOSITORY [--init] [--keep-days N]   or   dhara backup --to FILE';
const RESTORE_USAGE =
  'Usage: dhara restore --repository REPOSITORY [--snapshot ID | --at TIME]   or   dhara restore --from FILE [--replace]';
const PASSWORDS = ['RESTIC_PASSWORD', 'RESTIC_PASSWORD_FILE', 'RESTIC_PASSWORD_COMMAND'] as const;
/** RFC 3339. A time without a zone would mean another moment on another machine. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
const MAX_KEEP_DAYS = 36_500;

/**
 * `dhara backup --repository REPOSITORY` saves database, videos and seals in a restic repository, also while the service
 * runs. `--to FILE` writes only the embedded database, to one file.
 *
 * @throws UsageError for other arguments
 * @throws BackupError
 */
export function prepareBackup(args: readonly string[], terminal: Terminal): PreparedCommand {
  if (args.includes('--to')) return prepareBackupToFile(args, terminal);
  const text = { type: 'string' } as const;
  const options = { repository: text, init: { type: 'boolean' }, 'keep-days': text } as const;
  const given = parseOptions(args, options, BACKUP_USAGE);
  const keepDays = keepDaysIn(given['keep-days']);
  const repository = repositoryIn(given.repository, terminal, BACKUP_USAGE);
  const wanted = { repository, keepDays, mustCreate: given.init === true };
  return (config, logger) => backUp(wanted, config, logger, printer(terminal));
}

interface WantedBackup {
  readonly repository: BackupRepository;
  readonly keepDays: number | null;
  readonly mustCreate: boolean;
}

async function backUp(
  { repository, keepDays, mustCreate }: WantedBackup,
  config: Config,
  logger: Logger,
  print: Print,
): Promise<number> {
  const database = await openDatabase(config, 'join', logger);
  try {
    const app = await openApp('admin', config, database, logger);
    try {
      if (mustCreate) await repository.create();
      const taken = await takeSnapshot({ app, config, database, repository, keepDays });
      const { accounts, videos, postings } = taken.facts;
      print(`Backup ${taken.id.slice(0, 8)} of ${taken.takenAt.toISOString()} is complete:`);
      print(`  ${accounts} accounts, ${videos} videos and ${postings} postings;`);
      print(`  ${taken.files} files with ${megabytes(taken.bytes)}, of which ${megabytes(taken.addedBytes)} are new.`);
      print(
        'The master key and the password of the repository are not in it. Keep both elsewhere: a restore needs both.',
      );
      return 0;
    } finally {
      await app.stop();
    }
  } finally {
    await database.close();
  }
}

/**
 * `dhara restore --repository REPOSITORY [--snapshot ID | --at TIME]` restores into an empty DATA_DIR (and database, and bucket),
 * then verifies.
 * Exits with 1 if something is wrong with what was restored.
 *
 * @throws UsageError for other arguments
 * @throws BackupError
 */
export function prepareRestore(args: readonly string[], terminal: Terminal): PreparedCommand {
  if (args.includes('--from')) return prepareRestoreFromFile(args, terminal);
  const text = { type: 'string' } as const;
  const given = parseOptions(args, { repository: text, snapshot: text, at: text } as const, RESTORE_USAGE);
  const wanted = wantedIn(given);
  const repository = repositoryIn(given.repository, terminal, RESTORE_USAGE);
  const print = printer(terminal);
  return async (config, logger) => {
    const { manifest, snapshot } = await restoreSnapshot({ config, repository, wanted, logger });
    print(`Backup ${snapshot.id.slice(0, 8)} of ${manifest.takenAt} is restored. Verifying it …`);
    return checkRestored(config, manifest, logger, print);
  };
}

function repositoryIn(given: string | undefined, { env }: Terminal, usage: string): BackupRepository {
  const repository = given ?? env['RESTIC_REPOSITORY'];
  if (!repository) throw new UsageError(usage);
  if (!PASSWORDS.some((name) => env[name])) {
    throw new ConfigError(`The password of the repository is missing: set ${PASSWORDS.join(', or ')}.`);
  }
  return new ResticRepository({ repository, env });
}

function keepDaysIn(text: string | undefined): number | null {
  if (text === undefined) return null;
  const days = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MAX_KEEP_DAYS)
    throw new UsageError(`--keep-days must be a number from 1 to ${MAX_KEEP_DAYS}.`);
  return days;
}

function wantedIn({ snapshot, at }: { snapshot?: string | undefined; at?: string | undefined }): WantedSnapshot {
  if (snapshot !== undefined && at !== undefined) throw new UsageError(RESTORE_USAGE);
  if (snapshot !== undefined) {
    if (!/^[0-9a-f]{4,64}$/.test(snapshot)) throw new UsageError('--snapshot must be the id of a backup.');
    return { id: snapshot };
  }
  if (at === undefined) return { notAfter: null };
  const notAfter = new Date(at);
  if (!MOMENT.test(at) || Number.isNaN(notAfter.getTime())) {
    throw new UsageError('--at must be a time with its zone, such as 2026-11-23T14:30Z.');
  }
  return { notAfter };
}
