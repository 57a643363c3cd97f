import type { App } from '../app.js';
import type { StorageNight } from '../domain/payments/storage/nights.js';
import { formatCredits } from '../domain/ledger/credits.js';
import { dayIn, parseOptions } from './parseOptions.js';
import type { Print } from './terminal.js';
import { UsageError } from './usageError.js';

const USAGE =
  'Usage: dhara storage run [--date YYYY-MM-DD]   or   dhara storage reverse --from YYYY-MM-DD [--reason TEXT]';

/** The parts of the service that the commands need. */
export type StorageApp = Pick<App, 'storage' | 'remeasure'>;

type Run = (app: StorageApp, signal: AbortSignal) => Promise<number>;

/**
 * `dhara storage run [--date YYYY-MM-DD]` charges all due days and measures the store, or charges only that day. Exits
 * with 0, or with 1 if SIGINT came first or days wait for a person.
 *
 * `dhara storage reverse --from YYYY-MM-DD` shows what was charged from that day on; with `--reason TEXT`, it reverses
 * these charges. Exits with 0, or with 1 if SIGINT came first: run the same command again to continue.
 *
 * @throws UsageError for other arguments
 */
export function storageCommand(
  verb: string | undefined,
  rest: readonly string[],
  print: Print,
): (app: StorageApp) => Promise<number> {
  const { date, from, reason } = optionsOf(rest);
  let run: Run;
  if (verb === 'run' && !from && !reason) run = date ? runNight(date, print) : runDue(print);
  else if (verb === 'reverse' && from && !date) run = reason ? reverse(from, reason, print) : preview(from, print);
  else throw new UsageError(USAGE);
  return async (app) => {
    const stop = new AbortController();
    const onSigint = (): void => stop.abort();
    process.once('SIGINT', onSigint);
    try {
      const code = await run(app, stop.signal);
      return stop.signal.aborted ? 1 : code;
    } finally {
      process.off('SIGINT', onSigint);
    }
  };
}

function optionsOf(args: readonly string[]): { date?: string | undefined; from?: string | undefined; reason?: string } {
  const text = { type: 'string' } as const;
  const { date, from, ...rest } = parseOptions(args, { date: text, from: text, reason: text }, USAGE);
  return { ...rest, date: dayIn(date, '--date'), from: dayIn(from, '--from') };
}

function runNight(date: string, print: Print): Run {
  return async ({ storage }, signal) => {
    const night = await storage.runNight(date, signal);
    if (night) print(describe(night));
    return 0;
  };
}

function runDue(print: Print): Run {
  return async ({ storage, remeasure }, signal) => {
    const nights = await storage.runDueNights(signal);
    for (const night of nights) print(describe(night));
    const { nights: waiting, from, waits } = await storage.waiting();
    if (waits)
      print(`Storage from ${from} on (${waiting} days) is on hold until a person checks the clock: see dhara clock.`);
    else if (nights.length === 0) print('No day is due.');
    const differences = await remeasure.runDue(signal);
    if (differences > 0) print(`Differences in the object store: ${differences}. See the alerts.`);
    return waits ? 1 : 0;
  };
}

function preview(from: string, print: Print): Run {
  return async ({ storage }) => {
    const { nights, from: first, through, micros } = await storage.reversals.preview(from);
    const days = nights === 1 ? `1 day, ${first}` : `${nights} days, ${first} to ${through}`;
    print(`Charged: ${formatCredits(micros)} credits for ${days}. Nothing was changed.`);
    print(`To reverse every charge of these days: dhara storage reverse --from ${from} --reason TEXT`);
    return 0;
  };
}

function reverse(from: string, reason: string, print: Print): Run {
  return async ({ storage }, signal) => {
    let day = '';
    const isFinished = await storage.reversals.reverse({ from, reason, signal }, (progress) => {
      const { charges, returnedMicros } = progress;
      // One line per night, which may have hundreds of batches.
      if (progress.day === day && !progress.finished) return;
      day = progress.day;
      print(`${day}: ${charges} charges reversed so far, ${formatCredits(returnedMicros)} credits returned.`);
    });
    print(isFinished ? 'Reversed. Each of these days is charged again when it is due.' : 'Not finished: run it again.');
    return 0;
  };
}

function describe({ day, accounts, chargedMicros, arrearsMicros }: StorageNight): string {
  const arrears = arrearsMicros === 0n ? '' : `, ${formatCredits(arrearsMicros)} of them as debt`;
  const owners = accounts === 1n ? '1 account' : `${accounts} accounts`;
  return `${day}: ${formatCredits(chargedMicros)} credits from ${owners}${arrears}.`;
}
