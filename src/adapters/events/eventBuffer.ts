import type { LiveEvent } from '../../ports/events.js';

/** How many different events may wait for one reader. One more replaces all of them with `missed`. */
const MAX_WAITING = 200;

/**
 * The unread events of one subscriber. Bounded: equal events are kept once, and an overflow becomes `missed`, which
 * tells the reader to load everything again.
 */
export class EventBuffer implements AsyncIterableIterator<LiveEvent> {
  readonly #waiting = new Map<string, LiveEvent>();
  #wake: (() => void) | null = null;
  #ended = false;

  constructor(
    private readonly accountId: string,
    private readonly onEnd: () => void,
  ) {}

  push(event: LiveEvent): void {
    if (this.#ended) return;
    if (event.kind === 'missed' || this.#waiting.size >= MAX_WAITING || this.#waiting.has('missed')) {
      this.#waiting.clear();
      this.#waiting.set('missed', { kind: 'missed', accountId: this.accountId });
    } else {
      this.#waiting.set(event.kind === 'video' ? `video:${event.videoId}` : event.kind, event);
    }
    this.#wake?.();
  }

  /** Readers get "done" at once; waiting events are dropped. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waiting.clear();
    this.#wake?.();
    this.onEnd();
  }

  async next(): Promise<IteratorResult<LiveEvent, undefined>> {
    while (!this.#ended) {
      for (const [key, value] of this.#waiting) {
        this.#waiting.delete(key);
        return { done: false, value };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<LiveEvent, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
