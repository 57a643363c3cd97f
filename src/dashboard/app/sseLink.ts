import { ApolloLink, type FetchResult } from '@apollo/client';
import { print } from '@apollo/client/utilities';
import { Observable } from 'rxjs';
import { MODE_HEADERS } from '../session/mode.js';
import { viewHeaders } from '../session/view.js';

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 15_000;

/**
 * GraphQL subscriptions over server-sent events: one POST per subscription, whose response is a stream of `next`
 * events.
 *
 * A stream that ends is opened again, with growing pauses, until it is unsubscribed, because the dashboard's
 * subscriptions have no end. A hidden page holds no streams: a browser allows six connections to one address for all of
 * its tabs, and forgotten tabs would take them from the one in use. `onRefused` runs when the service says that no
 * user is signed in. `onState` reports whether every requested stream is open: events are missed while one is not.
 */
export class SseLink extends ApolloLink {
  #wanted = 0;
  #open = 0;

  constructor(
    private readonly options: {
      readonly url: string;
      readonly onRefused: () => void;
      readonly onState: (open: boolean) => void;
    },
  ) {
    super();
  }

  override request(operation: ApolloLink.Operation): Observable<FetchResult> {
    const body = JSON.stringify({
      operationName: operation.operationName,
      query: print(operation.query),
      variables: operation.variables,
    });
    return new Observable((subscriber) => {
      const closing = new AbortController();
      this.#count(1, 0);
      void this.#run(body, closing.signal, (result) => subscriber.next(result));
      return () => {
        closing.abort();
        this.#count(-1, 0);
      };
    });
  }

  #count(wanted: number, open: number): void {
    this.#wanted += wanted;
    this.#open += open;
    this.options.onState(this.#wanted > 0 && this.#open >= this.#wanted);
  }

  async #run(body: string, signal: AbortSignal, emit: (result: FetchResult) => void): Promise<void> {
    let delayMs = FIRST_DELAY_MS;
    while (!signal.aborted) {
      await becomesVisible(signal);
      const ended = new AbortController();
      let open = 0;
      const seen = AbortSignal.any([signal, becomesHidden(ended.signal)]);
      try {
        const response = await openStream(this.options.url, body, seen);
        if (response.status === 401) this.options.onRefused();
        if (response.ok && response.body) {
          delayMs = FIRST_DELAY_MS;
          this.#count(0, (open = 1));
          await read(response.body, emit);
        }
      } catch {
        // Lost, or aborted by the reader; the loop's condition tells which.
      } finally {
        ended.abort();
        this.#count(0, -open);
      }
      if (seen.aborted) continue;
      await pause(delayMs, signal);
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
    }
  }
}

function openStream(url: string, body: string, signal: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...MODE_HEADERS, ...viewHeaders() },
    body,
    signal,
  });
}

/** Reads events until the stream ends, with or without `complete`. */
async function read(stream: ReadableStream<Uint8Array>, emit: (result: FetchResult) => void): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let buffer = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    buffer += value.replaceAll('\r', '');
    for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
      const { event, data } = parseEvent(buffer.slice(0, end));
      buffer = buffer.slice(end + 2);
      if (event === 'complete') return;
      if (event === 'next' && data) emit(JSON.parse(data) as FetchResult);
    }
  }
}

function parseEvent(block: string): { event: string; data: string } {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
  }
  return { event, data: data.join('\n') };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** Resolves when the page is visible (at once if it is), or when `signal` aborts. */
function becomesVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = new AbortController();
    const settle = (): void => {
      if (document.hidden && !signal.aborted) return;
      done.abort();
      resolve();
    };
    document.addEventListener('visibilitychange', settle, { signal: done.signal });
    signal.addEventListener('abort', settle, { signal: done.signal });
  });
}

/**
 * Aborts once the page is no longer visible: another tab is in front, or the window is minimized. Watches until
 * `ended`.
 */
function becomesHidden(ended: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  const look = (): void => {
    if (document.hidden) hidden.abort();
  };
  document.addEventListener('visibilitychange', look, { signal: ended });
  look();
  return hidden.signal;
}
