import type { Config } from '../../config/config.js';
import { describeFault } from '../../domain/ledger/verify/verify.js';
import { lostSince, readBackupFacts, checkStoredFiles } from '../../domain/operations/backups/backupFacts.js';
import type { Logger } from '../../logger.js';
import { openDatabase } from '../databaseAccess.js';
import { bringUpToDate } from '../migrateCommand.js';
import { openApp } from '../openApp.js';
import type { Print } from '../terminal.js';
import type { BackupManifest } from './manifest.js';

const MAX_FAULTS = 20;

/**
 * Brings a restored database up to date, and checks what it can: the counts of the backup, the books and their seals,
 * and that the store has every object that the database records. Resolves to the exit code.
 */
export async function checkRestored(
  config: Config,
  manifest: BackupManifest,
  logger: Logger,
  print: Print,
): Promise<number> {
  const database = await openDatabase(config, 'own', logger);
  try {
    await bringUpToDate(config, database);
    const app = await openApp('admin', config, database, logger);
    try {
      const lost = lostSince(manifest.facts, await readBackupFacts(app.db.sql));
      const files = await checkStoredFiles(app.db.sql, app.store);
      const { faults, txCount, entryCount } = await app.ledgerAudit.verify();
      for (const line of lost) print(`  fewer ${line}`);
      if (files.wrongCount === 0) print(`The store is complete: ${files.complete} uploads and runs.`);
      else print(`The store lacks ${files.wrongCount} uploads or runs that the database records:`);
      for (const key of files.wrong) print(`  ${key}`);
      if (faults.length === 0) print(`The ledger is correct: ${txCount} transactions, ${entryCount} entries.`);
      else printFaults(faults.map(describeFault), print);
      const isProven = lost.length + files.wrongCount + faults.length === 0;
      print(isProven ? 'Start the service.' : 'See docs/backups.md before you start the service.');
      return isProven ? 0 : 1;
    } finally {
      await app.stop();
    }
  } finally {
    await database.close();
  }
}

function printFaults(faults: readonly string[], print: Print): void {
  print('Ledger verification failed. Wrong rows:');
  for (const fault of faults.slice(0, MAX_FAULTS)) print(`  ${fault}`);
  if (faults.length > MAX_FAULTS) print(`  and ${faults.length - MAX_FAULTS} more: see dhara ledger verify`);
  print('Blocks that the archive has and the database has lost were sealed after the backup: see');
  print('  dhara ledger reconcile-seals');
}
