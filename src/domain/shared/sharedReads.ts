interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

interface Options {
  /** The most statements of this kind in flight. */
  readonly atOnce?: number;
  /**
   * While at least so many requests are in flight, new ones wait until fewer are, or until they fill a statement: one
   * large statement serves more than two small ones beside each other. Requests of a slow statement do not count, so that
   * others do not wait for it. By default, no number of requests makes others wait.
   */
  readonly few?: number;
  /** The most requests that share one statement. */
  readonly most?: number;
}

/** Several times what a statement takes under full load. */
const SLOW_MS = 50;

/**
 * Batches reads of one kind. Requests that arrive in one turn of the event loop share a statement: the callers of a batch
 * whose responses arrived often ask again together. While the maximum number of statements is in flight, new requests
 * share the next one. The snapshot of a statement is younger than every request in it.
 *
 * @param ask answers in the order of the requests; an `Error` fails only its own request
 */
export class SharedReads<Request, Answer> {
  private readonly waiting: Waiting<Request, Answer>[] = [];
  private inFlight = 0;
  private requestsInFlight = 0;
  private isGathering = false;
  private readonly atOnce: number;
  private readonly few: number;
  private readonly most: number;

  constructor(
    private readonly ask: (requests: readonly Request[]) => Promise<readonly (Answer | Error)[]>,
    { atOnce = 2, few = Number.POSITIVE_INFINITY, most = 64 }: Options = {},
  ) {
    this.atOnce = atOnce;
    this.few = few;
    this.most = most;
  }

  read(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      this.gather();
    });
  }

  private gather(): void {
    if (this.isGathering || !this.mayAsk()) return;
    this.isGathering = true;
    setImmediate(() => {
      this.isGathering = false;
      void this.askNext();
      if (this.waiting.length > 0) this.gather();
    });
  }

  private mayAsk(): boolean {
    if (this.inFlight >= this.atOnce) return false;
    return this.inFlight === 0 || this.requestsInFlight < this.few || this.waiting.length >= this.most;
  }

  private async askNext(): Promise<void> {
    const batch = this.waiting.splice(0, this.most);
    this.inFlight += 1;
    let counted = batch.length;
    this.requestsInFlight += counted;
    const slow = setTimeout(() => {
      this.requestsInFlight -= counted;
      counted = 0;
      if (this.waiting.length > 0) this.gather();
    }, SLOW_MS);
    try {
      const answers = await this.ask(batch.map(({ request }) => request));
      for (const [nth, { resolve, reject }] of batch.entries()) {
        const answer = answers[nth];
        if (answer instanceof Error) reject(answer);
        else resolve(answer as Answer);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.inFlight -= 1;
    this.requestsInFlight -= counted;
    clearTimeout(slow);
    if (this.waiting.length > 0) this.gather();
  }
}
