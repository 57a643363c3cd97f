import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { App } from '../app.js';
import { parseOptions } from './parseOptions.js';
import type { Print } from './terminal.js';
import { UsageError } from './usageError.js';

const USAGE = 'Usage: dhara personal-data --account EMAIL|ID --to FILE';

/** The parts of the service that the command needs. */
export type PersonalDataApp = Pick<App, 'erasures' | 'personalData'>;

/**
 * `dhara personal-data` writes what an account holds to a new file, as an owner downloads it.
 *
 * @throws UsageError for other arguments
 */
export function personalDataCommand(rest: readonly string[], print: Print): (app: PersonalDataApp) => Promise<number> {
  const text = { type: 'string' } as const;
  const { account, to } = parseOptions(rest, { account: text, to: text }, USAGE);
  if (!account || !to) throw new UsageError(USAGE);
  return async ({ erasures, personalData }) => {
    const { accountId } = await erasures.preview(account);
    // Nobody else may read it, and nothing is overwritten.
    await pipeline(Readable.from(personalData(accountId)), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
    print(`Wrote what account ${accountId} holds to ${to}.`);
    return 0;
  };
}
