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
  ) {}

  /** @throws ServiceError, NotLoggedInError */
  async ask<Data>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> {
    return askGraphql<Data>(this.url, { authorization: `Bearer ${this.token}` }, query, variables);
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
  const body = (await res.json().catch(() => null)) as GraphqlBody | null;
  const [error] = body?.errors ?? [];
  if (error?.extensions?.code === 'UNAUTHENTICATED') {
    throw new NotLoggedInError('The access token no longer works. Run dhara login.');
  }
  if (error !== undefined) throw new ServiceError(error.message, error.extensions?.code ?? 'UNKNOWN');
  if (body?.data === undefined) throw new ServiceError(`${url} is not a Dhara service.`, 'UNEXPECTED_RESPONSE');
  return body.data as Data;
}

/** @throws ServiceError if the service is not reached */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new ServiceError(`Could not reach ${new URL(url).origin}: ${reason}`, 'NETWORK');
  }
}
