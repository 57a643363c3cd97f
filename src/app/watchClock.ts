import type { AppOptions, End } from './options.js';
import type { Services } from './services.js';

const LOOK_EVERY_MS = 60_000;

/** Each process looks at the database's clock, now and every minute. Returns what ends it. */
export async function watchClock({ logger }: AppOptions, { clock }: Services): Promise<End> {
  const look = async (): Promise<void> => {
    try {
      if (!(await clock.look()))
        logger.warn({ scope: 'clock' }, 'Charges by the day wait for a person: see dhara clock');
    } catch (error) {
      logger.warn({ scope: 'clock', err: error }, 'could not look at the clock');
    }
  };
  await look();
  let looking = Promise.resolve();
  const timer = setInterval(() => (looking = looking.then(look)), LOOK_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
