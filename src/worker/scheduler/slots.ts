import { once } from '../../domain/shared/once.js';

interface Waiter {
  readonly take: () => void;
}

/**
 * Limits how many encodes a worker runs at once, counting videos and chunks of other workers' videos alike. Waiting
 * videos go before chunks, so a long video that could keep every worker busy delays the others by one chunk at most.
 */
export class Slots {
  private free: number;
  private readonly videos: Waiter[] = [];
  private readonly chunks: Waiter[] = [];

  constructor(count: number) {
    this.free = count;
  }

  get videoWaits(): boolean {
    return this.videos.length > 0;
  }

  /**
   * @param work may free its slot before it ends
   * @throws the signal's reason if it aborts while waiting
   */
  async use<T>(kind: 'video' | 'chunk', signal: AbortSignal, work: (leave: () => void) => Promise<T>): Promise<T> {
    await this.take(kind === 'video' ? this.videos : this.chunks, signal);
    const leave = once(() => this.give());
    try {
      return await work(leave);
    } finally {
      leave();
    }
  }

  private async take(queue: Waiter[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        take: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      queue.push(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  private give(): void {
    const next = this.videos.shift() ?? this.chunks.shift();
    if (next) next.take();
    else this.free += 1;
  }
}
