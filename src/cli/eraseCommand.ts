import type { App } from '../app.js';
import { formatCredits } from '../domain/ledger/credits.js';
import type { Waiting } from '../domain/operations/closing/erasure.service.js';
import { parseOptions } from './parseOptions.js';
import type { Print } from './terminal.js';
import { UsageError } from './usageError.js';

const USAGE = 'Usage: dhara erase --account EMAIL|ID --dry-run   or   dhara erase --account EMAIL|ID --reason TEXT';

/** The parts of the service that the command needs. */
export type EraseApp = Pick<App, 'erasures'>;

const WAITS: Readonly<Record<Waiting, string>> = {
  charges: 'jobs that end, or the storage charge of the day before the closing; then the balance is refunded',
  videos: 'videos that another process is deleting',
  uploads: 'unfinished uploads',
  files: 'files, which workers remove within a day',
  webhooks: 'webhooks of payments, whose bodies stay for a week, or that are not processed yet',
};

/**
 * `dhara erase` closes an account and erases its personal data, without the 30 days that an owner has. Exits with 0, or
 * with 1 while something is left: the nightly chore continues, and so does the same command.
 *
 * @throws UsageError for other arguments
 */
export function eraseCommand(rest: readonly string[], print: Print): (app: EraseApp) => Promise<number> {
  const text = { type: 'string' } as const;
  const options = { account: text, reason: text, 'dry-run': { type: 'boolean' } } as const;
  const { account, reason, 'dry-run': isDry = false } = parseOptions(rest, options, USAGE);
  if (!account || Boolean(reason?.trim()) === isDry) throw new UsageError(USAGE);
  return async ({ erasures }) => {
    if (isDry) return preview(await erasures.preview(account), print);
    const { accountId, waitsFor } = await erasures.eraseNow(account, reason!.trim());
    if (waitsFor === null) {
      print(`Account ${accountId} is erased.`);
      return 0;
    }
    print(`Account ${accountId} is closed, and its data is being erased. It waits for ${WAITS[waitsFor]}.`);
    print('The nightly chore continues. Run the command again to see whether it is done.');
    return 1;
  };
}

function preview(found: Awaited<ReturnType<App['erasures']['preview']>>, print: Print): number {
  const { accountId, isErased, consequences: ends } = found;
  if (isErased) {
    print(`Account ${accountId} is erased already.`);
    return 0;
  }
  print(`Account ${accountId} would be closed and erased, and cannot be reopened:`);
  print(`  ${ends.videos} videos with ${ends.storedBytes} bytes, ${ends.jobs} of them in processing`);
  print(`  ${ends.keys} API keys and ${ends.webhookEndpoints} webhook endpoints`);
  print(`  ${formatCredits(ends.debtMicros)} credits of debt paid from the balance`);
  print(`  ${formatCredits(ends.refundMicros)} credits refunded to where they were paid from`);
  print(`  ${formatCredits(ends.lapsingMicros)} credits that no payment stands for would lapse`);
  print('Postings, invoices and the audit trail without its words stay. Nothing was changed.');
  return 0;
}
