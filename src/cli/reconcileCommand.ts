import type { App } from '../app.js';
import type { LostSeals } from '../domain/ledger/seals/reconcileSeals.js';
import type { SealHead } from '../ports/sealArchive.js';
import { parseOptions } from './parseOptions.js';
import type { Print } from './terminal.js';
import { UsageError } from './usageError.js';

const USAGE = 'Usage: dhara ledger reconcile-seals [--blocks FIRST-LAST --reason TEXT]';
const MAX_SHOWN = 20;
const BLOCKS = /^\d+-\d+$/;

/**
 * `dhara ledger reconcile-seals` shows lost blocks, and exits with 1 if there are any. With `--blocks` and `--reason`,
 * it declares exactly those as lost.
 *
 * @throws UsageError for other arguments
 */
export function reconcileCommand(
  args: readonly string[],
  print: Print,
): (app: Pick<App, 'sealReconciler'>) => Promise<number> {
  const { blocks, reason } = givenIn(args);
  return async ({ sealReconciler }) => {
    if (blocks !== undefined && reason !== undefined) {
      describe(await sealReconciler.reconcile(blocks, reason), print);
      print('They are given up, in the books and in the archive. New blocks continue from what is left.');
      return 0;
    }
    const found = await sealReconciler.find();
    if (found.lost.length + found.unfinished.length === 0) {
      print('The archive of seals and the database agree.');
      return 0;
    }
    describe(found, print);
    print(`To give them up for good, run: dhara ledger reconcile-seals --blocks ${found.blocks} --reason TEXT`);
    return 1;
  };
}

function givenIn(args: readonly string[]): { blocks?: string | undefined; reason?: string | undefined } {
  const options = { blocks: { type: 'string' }, reason: { type: 'string' } } as const;
  const { blocks, reason } = parseOptions(args, options, USAGE);
  const isGiven = blocks !== undefined && BLOCKS.test(blocks) && Boolean(reason?.trim());
  if (isGiven || (blocks === undefined && reason === undefined)) return { blocks, reason };
  throw new UsageError(USAGE);
}

function describe({ lost, instead, unfinished }: LostSeals, print: Print): void {
  const entries = lost.reduce((sum, head) => sum + head.entries, 0);
  print(`The database has lost ${lost.length} blocks with ${entries} entries that the archive has:`);
  list(lost, print);
  if (instead.length > 0) {
    print(`In their place it has ${instead.length} newer blocks:`);
    list(instead, print);
  }
  for (const { firstBlock, lastBlock, reason, reconciledAt } of unfinished) {
    print(
      `Blocks ${firstBlock}-${lastBlock} were given up at ${reconciledAt} ("${reason}"), which only one of them knows.`,
    );
  }
}

function list(heads: readonly SealHead[], print: Print): void {
  for (const { blockNo, sealedAt, owners, entries, digest } of heads.slice(0, MAX_SHOWN)) {
    print(`  block ${blockNo} of ${sealedAt}: ${entries} entries of ${owners} owners, ${digest}`);
  }
  if (heads.length > MAX_SHOWN) print(`  and ${heads.length - MAX_SHOWN} more`);
}
