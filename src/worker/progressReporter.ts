import { setTimeout as delay } from 'node:timers/promises';

/** What the owner is shown while a video is made. */
export interface Progress {
  readonly step: string;
  /** 0 to 100, never falling. */
  readonly percent: number;
  readonly speed: number | null;
  readonly etaSeconds: number | null;
}

/** Three a second look live, and cost the database nothing worth counting. */
const INTERVAL_MS = 350;

/**
 * Passes progress on, at most about three times a second; what comes in between is replaced by what comes next.
 * A refused report says that the claim is lost; one that could not be sent says nothing.
 */
export class ProgressReporter {
  private next: Progress | null = null;
  private pumping: Promise<void> | null = null;
  private sending: Promise<unknown> = Promise.resolve();
  private readonly stopped = new AbortController();

  constructor(
    private readonly send: (progress: Progress) => Promise<boolean>,
    private readonly onLost: () => void,
  ) {}

  report(progress: Progress): void {
    if (this.stopped.signal.aborted) return;
    this.next = progress;
    this.pumping ??= this.pump();
  }

  /** Instead of what waits, and after what is under way, so that nothing older overtakes it. @returns whether the claim is held */
  reportNow(progress: Progress): Promise<boolean> {
    this.next = null;
    return this.inOrder(progress);
  }

  /** Sends nothing more; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.pumping;
  }

  private async pump(): Promise<void> {
    while (this.next !== null && !this.stopped.signal.aborted) {
      const progress = this.next;
      this.next = null;
      const held = await this.inOrder(progress).catch(() => true);
      if (!held) {
        this.onLost();
        break;
      }
      await delay(INTERVAL_MS, undefined, { signal: this.stopped.signal }).catch(() => undefined);
    }
    this.pumping = null;
  }

  private inOrder(progress: Progress): Promise<boolean> {
    const sent = this.sending.then(() => this.send(progress));
    this.sending = sent.catch(() => undefined);
    return sent;
  }
}
