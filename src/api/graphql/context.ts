import type { Viewer } from '../../domain/accounts/viewer.js';
import { AppError } from '../../errors.js';
import { createLoaders, type Loaders } from './loaders.js';
import type { GraphqlServices } from './services.js';

/** What a resolver gets from the request. */
export interface GraphqlContext {
  readonly viewer: Viewer | null;
  readonly requestId: string;
  readonly services: GraphqlServices;
  /** Belong to this one execution: their cache is never used again. */
  readonly loaders: Loaders;
  /** Aborts when the caller of a subscription disconnects. */
  readonly signal: AbortSignal;
}

const NEVER_ABORTED = new AbortController().signal;

export function createContext(
  services: GraphqlServices,
  request: { viewer: Viewer | null; requestId: string; signal?: AbortSignal },
): GraphqlContext {
  return { signal: NEVER_ABORTED, ...request, services, loaders: createLoaders(services) };
}

/**
 * The signed-in user. Fields marked `owner` or higher always have one; elsewhere this throws the same error as they
 * would.
 */
export function viewerIn(context: GraphqlContext): Viewer {
  if (context.viewer === null) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
  return context.viewer;
}

/** The account of an owner's operation: always the viewer's own. */
export function accountIdIn(context: GraphqlContext): string {
  return viewerIn(context).accountId;
}
