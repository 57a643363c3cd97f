/** The content of a response. Each test asserts the shape it expects. */
export type Json = ReturnType<typeof JSON.parse>;

export interface GraphqlReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly data: Record<string, Json> | null;
  readonly errors: readonly { message: string; path?: unknown[]; extensions: Record<string, Json> }[];
}

/** One browser, which sends its cookie with every request. */
export class Client {
  constructor(
    readonly url: string,
    readonly cookie: string,
    /** Empty without a session. */
    readonly accountId = '',
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** The same browser, in test mode. */
  get inTestMode(): Client {
    return new Client(this.url, this.cookie, this.accountId, { ...this.headers, 'x-dhara-mode': 'test' });
  }

  /** A page of the same browser that was loaded in this view of another account, or outside of one. */
  loadedIn(viewId: string): Client {
    return new Client(this.url, this.cookie, this.accountId, { ...this.headers, 'x-dhara-view': viewId });
  }

  ask(query: string, variables: Record<string, unknown> = {}): Promise<GraphqlReply> {
    return this.send(JSON.stringify({ query, variables }));
  }

  /** The data of the response. @throws if there are errors. */
  async data(query: string, variables: Record<string, unknown> = {}): Promise<Record<string, Json>> {
    const reply = await this.ask(query, variables);
    if (reply.errors.length > 0 || reply.data === null) throw new Error(`${reply.status} ${reply.text}`);
    return reply.data;
  }

  /** The code of the only error. @throws if there is none, or more than one. */
  async code(query: string, variables: Record<string, unknown> = {}): Promise<string> {
    const reply = await this.ask(query, variables);
    if (reply.errors.length !== 1) throw new Error(`expected one error: ${reply.status} ${reply.text}`);
    return reply.errors[0]!.extensions['code'] as string;
  }

  async send(body: string, init: { method?: string; headers?: Record<string, string>; path?: string } = {}) {
    const method = init.method ?? 'POST';
    const response = await fetch(`${this.url}${init.path ?? '/graphql'}`, {
      method,
      headers: { 'content-type': 'application/json', cookie: this.cookie, ...this.headers, ...init.headers },
      ...(method === 'GET' ? {} : { body }),
    });
    return replyOf(response, await response.text());
  }

  /** Opens a subscription whose results are read one by one. */
  async subscribe(query: string, variables: Record<string, unknown> = {}): Promise<Stream> {
    const going = new AbortController();
    const response = await fetch(`${this.url}/graphql/stream`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        cookie: this.cookie,
        ...this.headers,
      },
      body: JSON.stringify({ query, variables }),
      signal: going.signal,
    });
    return new Stream(response, going);
  }
}

export class Stream {
  readonly status: number;
  readonly headers: Headers;
  /** The number of comment lines so far. */
  comments = 0;
  readonly #reader: ReadableStreamDefaultReader<string>;
  #buffer = '';

  constructor(
    response: Response,
    private readonly going: AbortController,
  ) {
    this.status = response.status;
    this.headers = response.headers;
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next result; `complete` if the service says that it was the last, `lost` if the stream just ends. */
  async next(): Promise<GraphqlReply | 'complete' | 'lost'> {
    for (;;) {
      const end = this.#buffer.indexOf('\n\n');
      if (end < 0) {
        const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: undefined }));
        if (done || value === undefined) return 'lost';
        this.#buffer += value;
        continue;
      }
      const block = this.#buffer.slice(0, end);
      this.#buffer = this.#buffer.slice(end + 2);
      if (block.startsWith(':')) this.comments += 1;
      else if (block.startsWith('event: complete')) return 'complete';
      else return replyOf(null, block.replace(/^event: next\ndata: /, ''));
    }
  }

  /** The data of the next result. @throws if the stream has ended, or there are errors. */
  async data(): Promise<Record<string, Json>> {
    const result = await this.next();
    if (typeof result === 'string' || result.data === null) throw new Error(`no data: ${JSON.stringify(result)}`);
    return result.data;
  }

  /** The response in place of a stream. */
  async refusal(): Promise<GraphqlReply> {
    const parts: string[] = [this.#buffer];
    for (let part = await this.#reader.read(); !part.done; part = await this.#reader.read()) parts.push(part.value);
    return replyOf(null, parts.join(''));
  }

  leave(): void {
    this.going.abort();
  }
}

function replyOf(response: Response | null, text: string): GraphqlReply {
  const body = text.startsWith('{') ? (JSON.parse(text) as Partial<GraphqlReply>) : {};
  return {
    status: response?.status ?? 200,
    headers: response?.headers ?? new Headers(),
    text,
    data: body.data ?? null,
    errors: body.errors ?? [],
  };
}
