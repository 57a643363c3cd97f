import { FairnessLimit } from '../../domain/media/pipeline/fairnessLimit.js';
import { once } from '../../domain/shared/once.js';

/** The memory that the job needs is in use. The job waits in the queue, unclaimed, for this worker or another. */
export class NoMemoryError extends Error {
  override readonly name = 'NoMemoryError';
}

/** Keeps the encodes of one worker within its memory budget. A job larger than the whole budget runs alone. */
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
   * @param key identifies the job each time it is tried
   * @param neededBytes 0 for a job that never waits
   * @param work may return its memory before it ends
   * @throws NoMemoryError before the work starts
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
