import type { App } from '../app.js';
import { ConfigError } from '../config.js';
import type { StorageNight } from '../domain/storage/nights.js';
import { formatCredits } from '../domain/wallet/credits.js';

const USAGE = 'Usage: dhara storage run [--date YYYY-MM-DD]';

/** What the commands need of the service. */
export type StorageApp = Pick<App, 'storage' | 'remeasure'>;

/**
 * `dhara storage run [--date YYYY-MM-DD]`: charges all days that are due and measures the store, or charges that one
 * day. Ends with 0, or with 1 where SIGINT came first or days wait for a person.
 *
 * @param print takes one line
 * @throws ConfigError for anything else
 */
export function storageCommand(
  verb: string | undefined,
  rest: readonly string[],
  print: (line: string) => void,
): (app: StorageApp) => Promise<number> {
  const [option, date] = rest;
  const isOneDay = rest.length === 2 && option === '--date' && date !== undefined;
  if (verb !== 'run' || !(rest.length === 0 || isOneDay)) throw new ConfigError(USAGE);
  return async (app) => {
    const stop = new AbortController();
    let isWaiting = false;
    const onSigint = (): void => stop.abort();
    process.once('SIGINT', onSigint);
    try {
      if (isOneDay) {
        const night = await app.storage.runNight(date, stop.signal);
        if (night) print(describe(night));
      } else {
        const nights = await app.storage.runDueNights(stop.signal);
        for (const night of nights) print(describe(night));
        const { nights: waiting, from, waits } = await app.storage.waiting();
        isWaiting = waits;
        if (waits)
          print(`Storage from ${from} on (${waiting} days) waits for a person to look at the clock: see dhara clock.`);
        else if (nights.length === 0) print('No day is due.');
        const differences = await app.remeasure.runDue(stop.signal);
        if (differences > 0) print(`Differences in the object store: ${differences}. See the alerts.`);
      }
      return stop.signal.aborted || isWaiting ? 1 : 0;
    } finally {
      process.off('SIGINT', onSigint);
    }
  };
}

function describe({ day, accounts, chargedMicros, arrearsMicros }: StorageNight): string {
  const arrears = arrearsMicros === 0n ? '' : `, ${formatCredits(arrearsMicros)} of them as debt`;
  const owners = accounts === 1n ? '1 account' : `${accounts} accounts`;
  return `${day}: ${formatCredits(chargedMicros)} credits from ${owners}${arrears}.`;
}
