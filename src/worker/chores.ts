import type { Logger } from '../logger.js';

/** A recurring task. Running it when nothing is due is cheap and changes nothing. */
export interface Chore {
  readonly name: string;
  /** @returns how many things it did */
  readonly run: (signal: AbortSignal) => Promise<number>;
}

/** Runs all chores, one after the other. A failing chore does not stop the others. */
export async function doChores(chores: readonly Chore[], signal: AbortSignal, logger: Logger): Promise<void> {
  for (const { name, run } of chores) {
    if (signal.aborted) return;
    try {
      const count = await run(signal);
      if (count > 0) logger.info({ scope: 'job', chore: name, count }, 'chore done');
    } catch (error) {
      logger.error({ scope: 'job', chore: name, err: error }, 'chore failed');
    }
  }
}
