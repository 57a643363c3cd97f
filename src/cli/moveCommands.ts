import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ArchiveFile } from '../adapters/archive/archiveFile.js';
import { ScratchFiles } from '../adapters/archive/scratchFiles.js';
import { TarReader, TarWriter } from '../adapters/archive/tarArchive.js';
import type { App } from '../app.js';
import { ConfigError, type Config } from '../config/config.js';
import { formatCredits } from '../domain/ledger/credits.js';
import {
  exportAccount,
  type ExportDeps,
  type ExportOrder,
  type ExportReport,
  type ExportState,
} from '../domain/operations/moving/exportAccount.js';
import { ExportKey, isPublicKey } from '../domain/operations/moving/exportKey.js';
import { importAccount } from '../domain/operations/moving/importAccount.js';
import { lastingSecret } from '../domain/shared/secrets/lastingSecrets.js';
import type { Logger } from '../logger.js';
import { openDatabase } from './databaseAccess.js';
import { openApp } from './openApp.js';
import { parseOptions } from './parseOptions.js';
import type { PreparedCommand } from './preparedCommand.js';
import { megabytes, type Print, printNowAndThen, type Terminal } from './terminal.js';
import { UsageError } from './usageError.js';

const EXPORT_USAGE =
  'Usage: dhara export --account ID --to FILE|- [--passphrase-file FILE]   or   dhara export --show-key';
const IMPORT_USAGE = 'Usage: dhara import --from FILE|- --key ed25519:KEY [--passphrase-file FILE]';
const MIN_PASSPHRASE_LENGTH = 12;
/** Below DATA_DIR: rows on their way. */
const SCRATCH = 'moving';

/**
 * `dhara export` writes an account to an archive, and `dhara import` brings it from one. Both work beside a running
 * service. Messages go to standard error, because the archive may go to standard output.
 *
 * @throws UsageError for other arguments
 * @throws MoveError
 */
export function prepareMove(
  command: 'export' | 'import',
  args: readonly string[],
  terminal: Terminal,
): PreparedCommand {
  const print: Print = (line) => void terminal.errors.write(`${line}\n`);
  const work = command === 'export' ? parseExport(args, terminal, print) : parseImport(args, terminal, print);
  return (config, logger) => runMove(work, config, logger);
}

async function runMove(work: Work, config: Config, logger: Logger): Promise<number> {
  const database = await openDatabase(config, 'join', logger);
  try {
    const app = await openApp('admin', config, database, logger);
    try {
      return await work(app);
    } finally {
      await app.stop();
    }
  } finally {
    await database.close();
  }
}

type Work = (app: App) => Promise<number>;

function parseExport(args: readonly string[], terminal: Terminal, print: Print): Work {
  const text = { type: 'string' } as const;
  const options = { account: text, to: text, 'passphrase-file': text, 'show-key': { type: 'boolean' } } as const;
  const given = parseOptions(args, options, EXPORT_USAGE);
  const { account: accountId, to } = given;
  if (given['show-key'] === true && args.length === 1) {
    return async (app) => {
      terminal.output.write(`${(await keyOf(app)).publicKey}\n`);
      return 0;
    };
  }
  if (!accountId || !to || given['show-key']) throw new UsageError(EXPORT_USAGE);
  return async (app) => {
    const passphrase = await passphraseIn(given['passphrase-file']);
    const key = await keyOf(app);
    const deps = { ...app, key, origin: app.publicUrl };
    const progress = printNowAndThen(print);
    const order = {
      accountId,
      passphrase,
      onProgress: ({ rows, objects, bytes }: ExportReport) =>
        progress(`${rows} rows and ${objects} files (${megabytes(bytes)}) …`),
    };
    const report = await (to === '-' ? exportToStream(deps, order, terminal) : exportToFile(deps, order, to, print));
    print(
      `Archive ${report.archiveId}: ${report.rows} rows, ${report.objects} files (${megabytes(report.bytes)}), ` +
        `${formatCredits(report.balanceMicros)} credits.`,
    );
    print(`Import it with --key ${key.publicKey}`);
    return 0;
  };
}

function parseImport(args: readonly string[], terminal: Terminal, print: Print): Work {
  const text = { type: 'string' } as const;
  const given = parseOptions(args, { from: text, key: text, 'passphrase-file': text } as const, IMPORT_USAGE);
  const { from, key: trustedKey } = given;
  if (!from || !trustedKey) throw new UsageError(IMPORT_USAGE);
  if (!isPublicKey(trustedKey)) {
    throw new UsageError(
      '--key must be the public key that `dhara export --show-key` prints where the account comes from.',
    );
  }
  return async (app) => {
    const passphrase = await passphraseIn(given['passphrase-file']);
    await using scratch = await ScratchFiles.open(join(app.dataDir, SCRATCH));
    const input = from === '-' ? terminal.input : createReadStream(from);
    const progress = printNowAndThen(print);
    const { header, rows, objects, objectsThere, bytes, balanceMicros } = await importAccount(app, {
      archive: new TarReader(input as AsyncIterable<Uint8Array>),
      trustedKey,
      passphrase,
      scratch,
      onProgress: (report) => progress(`${report.objects} files (${megabytes(report.bytes)}) …`),
    });
    print(
      `Account ${header.accountId} of ${header.origin} has arrived: ${rows} rows, ${objects} files (${megabytes(bytes)}).`,
    );
    if (objectsThere > 0) print(`${objectsThere} of the files were there from an earlier try.`);
    print(`${formatCredits(balanceMicros)} credits were posted to MASTER.`);
    print('The owner signs in with a new password: "Forgot password" sends the link.');
    return 0;
  };
}

type Order = Omit<ExportOrder, 'archive' | 'scratch'>;

async function exportToStream(deps: App & ExportDeps, order: Order, { output }: Terminal): Promise<ExportReport> {
  await using scratch = await ScratchFiles.open(join(deps.dataDir, SCRATCH));
  return await exportAccount(deps, { ...order, archive: new TarWriter(output), scratch });
}

/** Continues what an earlier try has written. */
async function exportToFile(deps: ExportDeps, order: Order, path: string, print: Print): Promise<ExportReport> {
  const file = await ArchiveFile.open(path);
  try {
    const resume = file.state as ExportState | null;
    if (resume) print(`Continues after ${resume.objects} files (${megabytes(resume.bytes)}).`);
    const { scratch, output } = file;
    const archive = new TarWriter(output);
    const onCheckpoint = (state: ExportState) => file.keep(state);
    const report = await exportAccount(deps, { ...order, archive, scratch, resume, onCheckpoint });
    await file.finish();
    return report;
  } catch (error) {
    await file.leave();
    throw error;
  }
}

async function keyOf(app: App): Promise<ExportKey> {
  return new ExportKey(await lastingSecret(app.db, app.masterKeys, 'account-export'));
}

/** The first line of the file. */
async function passphraseIn(path: string | undefined): Promise<string | null> {
  if (path === undefined) return null;
  const [passphrase = ''] = (await readFile(path, 'utf8')).split(/\r?\n/, 1);
  if (passphrase.length < MIN_PASSPHRASE_LENGTH) {
    throw new ConfigError(`The passphrase in ${path} must have at least ${MIN_PASSPHRASE_LENGTH} characters.`);
  }
  return passphrase;
}
