import type { Request } from 'playwright-core';

/** The name of the GraphQL operation that a request asks for, if it asks for one. */
export function operationOf(request: Request): string | undefined {
  return (request.postDataJSON() as { operationName?: string } | null)?.operationName;
}
