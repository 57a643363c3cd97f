interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

interface Options {
  /** The most statements of this kind in flight. Below it, requests do not wait. */
  readonly atOnce?: number;
  /** The most requests that share one statement. */
  readonly most?: number;
}

/**
 * Batches reads of one kind. While the maximum number of statements is in flight, new requests share the next
 * statement, so its snapshot is younger than every request in it. Otherwise a read is sent at once, alone.
 *
 * @param ask answers in the order of the requests; an `Error` fails only its own request
 */
export class SharedReads<Request, Answer> {
  private readonly waiting: Waiting<Request, Answer>[] = [];
  private inFlight = 0;
  private readonly atOnce: number;
  private readonly most: number;

  constructor(
    private readonly ask: (requests: readonly Request[]) => Promise<readonly (Answer | Error)[]>,
    { atOnce = 2, most = 64 }: Options = {},
  ) {
    this.atOnce = atOnce;
    this.most = most;
  }

  read(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      if (this.inFlight < this.atOnce) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.inFlight += 1;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.most);
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
    }
    this.inFlight -= 1;
  }
}
