/**
 * After being postponed this often, a job gets the next free memory or space. Otherwise small jobs would overtake a large one
 * forever.
 */
const MAX_POSTPONEMENTS = 5;
/** Longer than the queue holds a job back. A job that has not returned by then was done elsewhere. */
const FORGOTTEN_AFTER_MS = 30_000;

interface Refused {
  times: number;
  atMs: number;
}

/** Counts how often each job was refused, for jobs that are retried until they fit. */
export class FairnessLimit {
  private readonly sentBack = new Map<string, Refused>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  refused(key: string): void {
    const times = (this.sentBack.get(key)?.times ?? 0) + 1;
    this.sentBack.set(key, { times, atMs: this.nowMs() });
  }

  admitted(key: string): void {
    this.sentBack.delete(key);
  }

  /** Whether another job has waited long enough to go first. */
  isOver(key: string): boolean {
    const nowMs = this.nowMs();
    for (const [waiting, { atMs }] of this.sentBack) {
      if (nowMs - atMs > FORGOTTEN_AFTER_MS) this.sentBack.delete(waiting);
    }
    const [first] = [...this.sentBack].filter(([, { times }]) => times >= MAX_POSTPONEMENTS);
    return first !== undefined && first[0] !== key;
  }
}
