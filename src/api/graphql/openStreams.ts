import { AppError } from '../../errors.js';

export interface StreamBounds {
  readonly maxPerAccount: number;
  readonly maxInProcess: number;
}

/** Counts the open streams of a process, so that neither one account nor all together can exhaust it. */
export class OpenStreams {
  readonly #perAccount = new Map<string, number>();
  readonly #open = new Set<AbortController>();
  #closed = false;

  constructor(private readonly bounds: StreamBounds) {}

  get size(): number {
    return this.#open.size;
  }

  /**
   * Registers a stream and returns a function that releases it.
   * @throws RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE when closed
   */
  enter(accountId: string, stream: AbortController): () => void {
    if (this.#closed) throw new AppError('SERVICE_UNAVAILABLE', 'The service is restarting. Please try again.');
    const count = this.#perAccount.get(accountId) ?? 0;
    if (count >= this.bounds.maxPerAccount || this.#open.size >= this.bounds.maxInProcess) {
      throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many live connections are open. Close some first.');
    }
    this.#perAccount.set(accountId, count + 1);
    this.#open.add(stream);
    return () => {
      this.#open.delete(stream);
      const left = (this.#perAccount.get(accountId) ?? 1) - 1;
      if (left > 0) this.#perAccount.set(accountId, left);
      else this.#perAccount.delete(accountId);
    };
  }

  /** Ends all streams and refuses new ones. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#open) stream.abort();
  }
}
