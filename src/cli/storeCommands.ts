import type { StoreKind } from '../adapters/store/openStores.js';
import type { App } from '../app.js';
import { ConfigError } from '../config/config.js';
import { moveObjects, type MoveProgress } from '../domain/media/objects/moveObjects.js';
import { parseOptions } from './parseOptions.js';
import { megabytes, type Print, printNowAndThen } from './terminal.js';
import { UsageError } from './usageError.js';

const USAGE = 'Usage: dhara store move --from disk|s3 --to s3|disk [--delete]   or   dhara store edge';

/** `dhara store …`. Resolves to the exit code. @throws ConfigError */
export function storeCommand(
  verb: string | undefined,
  args: readonly string[],
  print: Print,
): (app: App) => Promise<number> {
  if (verb === 'edge' && args.length === 0) return (app) => printEdgeSettings(app, print);
  if (verb !== 'move') throw new UsageError(USAGE);
  const wanted = moveArguments(args);
  return (app) => move(app, wanted, print);
}

interface Move {
  readonly from: StoreKind;
  readonly to: StoreKind;
  readonly deleteMoved: boolean;
}

function moveArguments(args: readonly string[]): Move {
  const options = { from: { type: 'string' }, to: { type: 'string' }, delete: { type: 'boolean' } } as const;
  const { from, to, delete: deleteMoved = false } = parseOptions(args, options, USAGE);
  if ((from === 'disk' && to === 's3') || (from === 's3' && to === 'disk')) return { from, to, deleteMoved };
  throw new UsageError(USAGE);
}

async function move(app: App, { from, to, deleteMoved }: Move, print: Print): Promise<number> {
  if (deleteMoved && !app.stores.kinds.includes(to)) {
    throw new ConfigError(`--delete: the service would lose its videos: neither STORE nor STORE_FALLBACK is ${to}.`);
  }
  const stores = { from: await app.stores.only(from), to: await app.stores.only(to) };
  await stores.to.check();
  const printProgress = printNowAndThen(print);
  const onProgress = (progress: MoveProgress): void => printProgress(`${summaryOf(progress)} …`);
  const progress = await moveObjects(app.db, stores.from, stores.to, { deleteMoved, onProgress });
  print(`From ${from} to ${to}: ${summaryOf(progress)}.`);
  for (const key of progress.wrong) print(`  has another size in ${to} and was not changed: ${key}`);
  return progress.wrong.length === 0 ? 0 : 1;
}

function summaryOf({ copied, copiedBytes, alreadyThere, vanished, deleted }: MoveProgress): string {
  const parts = [`${copied} objects copied (${megabytes(copiedBytes)})`, `${alreadyThere} were there`];
  if (vanished > 0) parts.push(`${vanished} deleted meanwhile`);
  if (deleted > 0) parts.push(`${deleted} removed from the old store`);
  return parts.join(', ');
}

/** Prints the settings with which the edge script checks grants and finds videos. Its credentials are separate. */
async function printEdgeSettings(app: App, print: Print): Promise<number> {
  if (app.stores.links === null) throw new ConfigError('The edge script reads from the S3 store: STORE must be s3.');
  const grantKeys = [app.grantKey, ...app.previousGrantKeys].map((key) => key.toString('base64'));
  print(`GRANT_KEY=${grantKeys.join(',')}`);
  print(`BUCKET_URL=${app.stores.links.baseUrl}`);
  return 0;
}
