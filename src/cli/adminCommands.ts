import type { App } from '../app.js';
import type { Config } from '../config/config.js';
import { describeFault } from '../domain/ledger/verify/verify.js';
import type { Logger } from '../logger.js';
import { openDatabase } from './databaseAccess.js';
import { clockCommand } from './clockCommand.js';
import { eraseCommand } from './eraseCommand.js';
import { personalDataCommand } from './personalDataCommand.js';
import { reconcileCommand } from './reconcileCommand.js';
import { openApp } from './openApp.js';
import type { PreparedCommand } from './preparedCommand.js';
import { storageCommand } from './storageCommands.js';
import { storeCommand } from './storeCommands.js';
import { printer, type Print, type Terminal } from './terminal.js';
import { UsageError } from './usageError.js';

type AdminCommand = (app: App) => Promise<number>;

/** `dhara user|keys|ledger …`. Also works beside a running service. Resolves to the exit code. */
export function prepareAdminCommand(args: readonly string[], terminal: Terminal): PreparedCommand {
  const command = parse(args, printer(terminal));
  return (config, logger) => runAdminCommand(command, config, logger);
}

async function runAdminCommand(command: AdminCommand, config: Config, logger: Logger): Promise<number> {
  const database = await openDatabase(config, 'join', logger);
  try {
    const app = await openApp('admin', config, database, logger);
    try {
      return await command(app);
    } finally {
      await app.stop();
    }
  } finally {
    await database.close();
  }
}

function parse(args: readonly string[], print: Print): AdminCommand {
  const [noun, verb, ...rest] = args;
  if (noun === 'user' && verb === 'promote') {
    const [email, option, role] = rest;
    if (rest.length === 3 && email && option === '--role' && (role === 'support' || role === 'owner'))
      return promote(email, role, print);
    throw new UsageError('Usage: dhara user promote <email> --role support|owner');
  }
  if (noun === 'keys' && verb === 'rotate' && rest.length === 0) return rotateKeys(print);
  if (noun === 'keys' && verb === 'rewrap' && rest.length === 0) return rewrapSecrets(print);
  if (noun === 'ledger' && verb === 'verify' && rest.length === 0) return verify(print);
  if (noun === 'ledger' && verb === 'seal' && rest.length === 0) return seal(print);
  if (noun === 'ledger' && verb === 'reconcile-seals') return reconcileCommand(rest, print);
  if (noun === 'clock') return clockCommand(args.slice(1), print);
  if (noun === 'erase') return eraseCommand(args.slice(1), print);
  if (noun === 'personal-data') return personalDataCommand(args.slice(1), print);
  if (noun === 'storage') return storageCommand(verb, rest, print);
  if (noun === 'store') return storeCommand(verb, rest, print);
  throw new UsageError(`Unknown command "${args.join(' ')}". Run dhara --help for the list.`);
}

function promote(email: string, role: 'support' | 'owner', print: Print): AdminCommand {
  return async (app) => {
    await app.accounts.promote(email, role);
    print(`${email} has the role ${role}.`);
    return 0;
  };
}

const rotateKeys =
  (print: Print): AdminCommand =>
  async (app) => {
    const { kid, signsFrom } = await app.playback.signingKeys.rotate();
    print(`Key ${kid} is published and signs from ${signsFrom.toISOString()}.`);
    return 0;
  };

const rewrapSecrets =
  (print: Print): AdminCommand =>
  async (app) => {
    const { rewrapped, current, unreadable } = await app.rewrap.run();
    print(`Encrypted ${rewrapped} secrets under the current master key; ${current} already were.`);
    for (const place of unreadable) print(`  none of the given master keys decrypts ${place}`);
    if (unreadable.length === 0) print('Once all processes have the new key, MASTER_KEY_PREVIOUS is no longer needed.');
    return unreadable.length === 0 ? 0 : 1;
  };

const verify =
  (print: Print): AdminCommand =>
  async (app) => {
    const report = await app.ledgerAudit.verify();
    const size = `${report.txCount} transactions, ${report.entryCount} entries`;
    if (report.faults.length === 0) {
      print(`The ledger is correct: ${size}.`);
      return 0;
    }
    print(`Ledger verification failed (${size}). Wrong rows:`);
    for (const fault of report.faults) {
      print(`  ${describeFault(fault)}`);
    }
    return 1;
  };

const seal =
  (print: Print): AdminCommand =>
  async (app) => {
    const heads = await app.ledgerAudit.seal();
    if (heads.length === 0) print('Nothing was posted since the last block.');
    for (const { blockNo, owners, entries, digest } of heads) {
      print(`Block ${blockNo} seals ${entries} entries of ${owners} owners: ${digest}`);
    }
    return 0;
  };
