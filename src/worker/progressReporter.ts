import { setTimeout as delay } from 'node:timers/promises';

/** The progress that the owner sees while a video is processed. */
export interface Progress {
  readonly step: string;
  /** 0 to 100; never falls. */
  readonly percent: number;
  readonly speed: number | null;
  readonly etaSeconds: number | null;
}

/** Three updates per second look live and cost the database almost nothing. */
const INTERVAL_MS = 350;

/**
 * Sends progress on, at most about three times per second; a newer update replaces a waiting one. A refused report
 * means that the claim is lost; a report that could not be sent means nothing.
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

  /**
   * Replaces the waiting update and is sent after the one in flight, so that nothing older overtakes it. @returns
   * whether the claim is still held
   */
  reportNow(progress: Progress): Promise<boolean> {
    this.next = null;
    return this.inOrder(progress);
  }

  /** Sends nothing more. Resolves when nothing is in flight. */
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
