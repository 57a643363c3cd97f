import { FairnessLimit } from '../../domain/media/pipeline/fairnessLimit.js';
import { once } from '../../domain/shared/once.js';

/** What the job needs is in use: it waits in the queue, unclaimed, for this worker or another. */
export class NoMemoryError extends Error {
  override readonly name = 'NoMemoryError';
}

/** Keeps what one worker encodes at once within its memory. What is larger than all of it runs alone. */
export class MemoryBudget {
  private usedBytes = 0;
  private readonly fairness: FairnessLimit;

  constructor(
    private readonly budgetBytes: number,
    nowMs?: () => number,
  ) {
    this.fairness = new FairnessLimit(nowMs);
  }

  /**
   * @param key names the job, each time it comes.
   * @param neededBytes 0 for what waits for nobody.
   * @param work may give its memory back before it ends.
   * @throws NoMemoryError without having begun.
   */
  async use<T>(key: string, neededBytes: number, work: (giveBack: () => void) => Promise<T>): Promise<T> {
    const bytes = Math.min(neededBytes, this.budgetBytes);
    if (bytes > 0 && (this.usedBytes + bytes > this.budgetBytes || this.fairness.isOver(key))) {
      this.fairness.refused(key);
      throw new NoMemoryError(`${neededBytes} bytes of memory are needed, ${this.usedBytes} are in use`);
    }
    this.fairness.admitted(key);
    this.usedBytes += bytes;
    const giveBack = once(() => {
      this.usedBytes -= bytes;
    });
    try {
      return await work(giveBack);
    } finally {
      giveBack();
    }
  }
}
