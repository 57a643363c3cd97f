import type { Response } from 'express';
import type { GraphQLFormattedError } from 'graphql';

export interface StreamResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[];
}

/** Server-sent events on one response, as graphql-sse spells them. Nothing is written once `signal` has aborted. */
export class EventStream {
  constructor(
    private readonly res: Response,
    private readonly signal: AbortSignal,
  ) {
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // nginx would otherwise keep events until they fill a buffer.
      'X-Accel-Buffering': 'no',
    });
    this.heartbeat();
  }

  heartbeat(): void {
    if (!this.signal.aborted) this.res.write(':\n\n');
  }

  /** Resolves when the client has room for more: events coalesce meanwhile. */
  async next(result: StreamResult): Promise<void> {
    if (this.signal.aborted || this.res.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`)) return;
    await new Promise<void>((resolve) => {
      this.res.once('drain', resolve);
      this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Nothing more will come: the client does not reconnect. */
  complete(): void {
    if (!this.signal.aborted) this.res.write('event: complete\ndata:\n\n');
  }

  end(): void {
    this.res.end();
  }
}
