import type { Viewer } from '../../domain/accounts/viewer.js';
import { AppError } from '../../errors.js';
import { createLoaders, type Loaders } from './loaders.js';
import type { GraphqlServices } from './services.js';

/** What a resolver is given of the request. */
export interface GraphqlContext {
  readonly viewer: Viewer | null;
  readonly requestId: string;
  readonly services: GraphqlServices;
  /** Of this one execution: what they have read is never shown again later. */
  readonly loaders: Loaders;
  /** Aborts when the caller of a subscription goes away. */
  readonly signal: AbortSignal;
}

const NEVER_ABORTED = new AbortController().signal;

export function createContext(
  services: GraphqlServices,
  request: { viewer: Viewer | null; requestId: string; signal?: AbortSignal },
): GraphqlContext {
  return { signal: NEVER_ABORTED, ...request, services, loaders: createLoaders(services) };
}

/** Who is signed in. Fields marked `owner` or more have somebody; asked elsewhere, this refuses as they would. */
export function viewerIn(context: GraphqlContext): Viewer {
  if (context.viewer === null) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
  return context.viewer;
}

/** The account that an owner's operation is about: always the viewer's own. */
export function accountIdIn(context: GraphqlContext): string {
  return viewerIn(context).accountId;
}
