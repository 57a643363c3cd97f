import type { Logger } from '../logger.js';

/** Something that is due again and again. Doing it when nothing is due costs little and changes nothing. */
export interface Chore {
  readonly name: string;
  /** @returns how much there was to do. */
  readonly run: (signal: AbortSignal) => Promise<number>;
}

/** All of them, one after the other. One that fails does not keep the others from running. */
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
