import { NotLoggedInError, ServiceError } from './errors.js';

const TIMEOUT_MS = 30_000;

interface GraphqlBody {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** GraphQL of a service, with an access token. */
export class OwnerApi {
  constructor(
    readonly url: string,
    private readonly token: string,
    private readonly mode: 'live' | 'test',
  ) {}

  /** @throws ServiceError, NotLoggedInError */
  async ask<Data>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> {
    return askGraphql<Data>(this.url, this.headers, query, variables);
  }

  private get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, 'x-dhara-mode': this.mode };
  }

  /**
   * Results of a subscription, until the connection ends.
   *
   * @throws ServiceError, NotLoggedInError
   */
  async *subscribe<Data>(query: string, variables: Readonly<Record<string, unknown>>): AsyncGenerator<Data> {
    const res = await reach(`${this.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.headers },
      body: JSON.stringify({ query, variables }),
      // No timeout: it stays open as long as somebody listens.
      signal: null,
    });
    if (res.status >= 500) throw unavailable(this.url, res);
    if (!res.ok || res.body === null) {
      dataOf(this.url, await bodyOf(this.url, res));
      throw new ServiceError(`${this.url} is not a Dhara service.`, 'UNEXPECTED_RESPONSE');
    }
    for await (const text of eventsOf(res.body)) yield dataOf(this.url, JSON.parse(text) as GraphqlBody) as Data;
  }
}

/** @throws ServiceError, NotLoggedInError */
export async function askGraphql<Data>(
  url: string,
  headers: Readonly<Record<string, string>>,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<Data> {
  const res = await reach(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin, ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return dataOf(url, await bodyOf(url, res)) as Data;
}

/** `null` for what is no response of GraphQL. @throws ServiceError for a failure that is not the service's own, such as a proxy's */
async function bodyOf(url: string, res: Response): Promise<GraphqlBody | null> {
  const body = (await res.json().catch(() => null)) as GraphqlBody | null;
  if (body?.errors !== undefined || body?.data !== undefined) return body;
  if (res.status >= 500) throw unavailable(url, res);
  return null;
}

function unavailable(url: string, { status }: Response): ServiceError {
  return new ServiceError(`${url} is temporarily unavailable (HTTP ${status}).`, 'SERVICE_UNAVAILABLE');
}

/** @throws NotLoggedInError and ServiceError for errors, and for responses that are not from a Dhara service */
function dataOf(url: string, body: GraphqlBody | null): unknown {
  const [error] = body?.errors ?? [];
  if (error?.extensions?.code === 'UNAUTHENTICATED') {
    throw new NotLoggedInError('The access token no longer works. Run dhara login.');
  }
  if (error !== undefined) throw new ServiceError(error.message, error.extensions?.code ?? 'UNKNOWN');
  if (body?.data === undefined) throw new ServiceError(`${url} is not a Dhara service.`, 'UNEXPECTED_RESPONSE');
  return body.data;
}

/** The data of each server-sent event named `next`. @throws ServiceError if the connection breaks */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let buffer = '';
  try {
    for await (const chunk of body) {
      buffer += decoder.decode(chunk, { stream: true });
      for (let end = buffer.indexOf('\n\n'); end !== -1; end = buffer.indexOf('\n\n')) {
        const block = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        if (block.startsWith('event: next\ndata: ')) yield block.slice('event: next\ndata: '.length);
      }
    }
  } catch (error) {
    throw new ServiceError(`The connection was lost: ${String(error)}`, 'NETWORK');
  }
}

/** @throws ServiceError if the service is not reached */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    // A redirect would send a password or token elsewhere.
    return await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error', ...init });
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new ServiceError(`Could not reach ${new URL(url).origin}: ${reason}`, 'NETWORK');
  }
}
