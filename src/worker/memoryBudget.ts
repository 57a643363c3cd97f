import { once } from './once.js';

/** What the job needs is in use: it waits in the queue, unclaimed, for this worker or another. */
export class NoMemoryError extends Error {
  override readonly name = 'NoMemoryError';
}

/** So often refused, a job has the next room there is: small ones would slip past a large one for ever. */
const PATIENCE = 5;
/** Longer than the queue keeps a job back. One that did not come again by then was made elsewhere. */
const FORGOTTEN_AFTER_MS = 30_000;

interface Refused {
  times: number;
  atMs: number;
}

/** Keeps what one worker encodes at once within its memory. What is larger than all of it runs alone. */
export class MemoryBudget {
  private usedBytes = 0;
  private readonly refused = new Map<string, Refused>();

  constructor(
    private readonly budgetBytes: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /**
   * @param key names the job, each time it comes.
   * @param neededBytes 0 for what waits for nobody.
   * @param work may give its memory back before it ends.
   * @throws NoMemoryError without having begun.
   */
  async use<T>(key: string, neededBytes: number, work: (giveBack: () => void) => Promise<T>): Promise<T> {
    const bytes = Math.min(neededBytes, this.budgetBytes);
    if (bytes > 0 && (this.usedBytes + bytes > this.budgetBytes || this.isKeptFree(key))) {
      const times = (this.refused.get(key)?.times ?? 0) + 1;
      this.refused.set(key, { times, atMs: this.nowMs() });
      throw new NoMemoryError(`${neededBytes} bytes of memory are needed, ${this.usedBytes} are in use`);
    }
    this.refused.delete(key);
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

  /** Whether another job has waited long enough. */
  private isKeptFree(key: string): boolean {
    const nowMs = this.nowMs();
    for (const [waiting, { atMs }] of this.refused) {
      if (nowMs - atMs > FORGOTTEN_AFTER_MS) this.refused.delete(waiting);
    }
    const [first] = [...this.refused].filter(([, { times }]) => times >= PATIENCE);
    return first !== undefined && first[0] !== key;
  }
}
