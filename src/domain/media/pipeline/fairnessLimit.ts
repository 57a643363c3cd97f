/** So often refused, a job has the next room there is: small ones would slip past a large one for ever. */
const PATIENCE = 5;
/** Longer than the queue keeps a job back. One that did not come again by then was made elsewhere. */
const FORGOTTEN_AFTER_MS = 30_000;

interface Refused {
  times: number;
  atMs: number;
}

/** Who was sent back how often, of those that come again until there is room for them. */
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

  /** Whether another job has waited long enough to have what room there is. */
  isOver(key: string): boolean {
    const nowMs = this.nowMs();
    for (const [waiting, { atMs }] of this.sentBack) {
      if (nowMs - atMs > FORGOTTEN_AFTER_MS) this.sentBack.delete(waiting);
    }
    const [first] = [...this.sentBack].filter(([, { times }]) => times >= PATIENCE);
    return first !== undefined && first[0] !== key;
  }
}
