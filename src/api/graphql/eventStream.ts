import type { Response } from 'express';
import type { GraphQLFormattedError } from 'graphql';

export interface StreamResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[];
}

/** Server-sent events on one response, in the format of graphql-sse. Writes nothing once `signal` has aborted. */
export class EventStream {
  constructor(
    private readonly res: Response,
    private readonly signal: AbortSignal,
  ) {
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // Otherwise nginx would hold events back until they fill a buffer.
      'X-Accel-Buffering': 'no',
    });
    this.heartbeat();
  }

  heartbeat(): void {
    if (!this.signal.aborted) this.res.write(':\n\n');
  }

  /** Resolves when the client can take more; events coalesce meanwhile. */
  async next(result: StreamResult): Promise<void> {
    if (this.signal.aborted || this.res.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`)) return;
    await new Promise<void>((resolve) => {
      this.res.once('drain', resolve);
      this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Tells the client that nothing more will come, so that it does not reconnect. */
  complete(): void {
    if (!this.signal.aborted) this.res.write('event: complete\ndata:\n\n');
  }

  end(): void {
    this.res.end();
  }
}
