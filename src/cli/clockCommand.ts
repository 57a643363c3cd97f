import type { App } from '../app.js';
import { formatCredits } from '../domain/ledger/credits.js';
import { dayIn, parseOptions } from './parseOptions.js';
import type { Print } from './terminal.js';
import { UsageError } from './usageError.js';

const USAGE = 'Usage: dhara clock   or   dhara clock accept --today YYYY-MM-DD --reason TEXT';

/** The parts of the service that the command needs. */
export type ClockApp = Pick<App, 'clock' | 'storage'>;

/**
 * `dhara clock` shows the service clock and what waits for it. Exits with 1 if anything waits. `dhara clock accept`
 * confirms that a person has checked.
 *
 * @throws UsageError for other arguments
 */
export function clockCommand(args: readonly string[], print: Print): (app: ClockApp) => Promise<number> {
  if (args.length === 0) return (app) => show(app, print);
  const { today, reason } = acceptArguments(args);
  return async (app) => {
    await app.clock.accept(today, reason);
    const { nights } = await app.storage.waiting();
    print(`Accepted: it is ${today}.`);
    if (nights > 0) print(`${countOf(nights)} of storage will be charged within 15 minutes.`);
    const ahead = await app.storage.reversals.charged(today);
    if (ahead) {
      print(
        `${countOf(ahead.nights)} of storage were charged before they were over: ${formatCredits(ahead.micros)} credits.`,
      );
      print(`To return them, run: dhara storage reverse --from ${ahead.from} --reason TEXT`);
    }
    return 0;
  };
}

function acceptArguments(args: readonly string[]): { today: string; reason: string } {
  const [verb, ...rest] = args;
  const options = { today: { type: 'string' }, reason: { type: 'string' } } as const;
  const { today, reason } = parseOptions(rest, options, USAGE);
  if (verb === 'accept' && today && reason) return { today: dayIn(today, '--today'), reason };
  throw new UsageError(USAGE);
}

async function show({ clock, storage }: ClockApp, print: Print): Promise<number> {
  const holds = await clock.look();
  const { now, seenAt, heldWhy } = await clock.state();
  const { nights, from, waits } = await storage.waiting();
  print(`The database's clock reads ${now.toISOString()}; this machine's ${new Date().toISOString()}.`);
  if (!holds) {
    print(`Daily charges are on hold. ${heldWhy ?? ''} The clock was last trusted at ${seenAt.toISOString()}.`);
  }
  if (nights > 0) print(`${countOf(nights)} of storage ${waits ? 'wait' : 'are due'}, from ${from} on.`);
  if (holds && !waits) return 0;
  print('Correct the clocks if they are wrong, then run: dhara clock accept --today YYYY-MM-DD --reason TEXT');
  return 1;
}

function countOf(nights: number): string {
  return nights === 1 ? '1 day' : `${nights} days`;
}
