import type { Viewer } from '../../domain/accounts/viewer.js';
import { AppError } from '../../errors.js';
import { createLoaders, type Loaders } from './loaders.js';
import type { GraphqlServices, Reads } from './services.js';

/** What a resolver gets from the request. */
export interface GraphqlContext {
  readonly viewer: Viewer | null;
  readonly requestId: string;
  readonly services: GraphqlServices;
  /** For what may be some seconds old. A function, because Apollo copies contexts. */
  readonly reads: () => Reads;
  /** The operation is going to write, so it reads nothing old itself. */
  readonly beginWriting: () => void;
  /** It has written, and its response can still say so. */
  readonly hasWritten: () => void;
  /** Belong to this one execution: their cache is never used again. */
  readonly loaders: Loaders;
  /** Aborts when the caller of a subscription disconnects. */
  readonly signal: AbortSignal;
}

const NEVER_ABORTED = new AbortController().signal;

export function createContext(
  services: GraphqlServices,
  request: {
    readonly viewer: Viewer | null;
    readonly requestId: string;
    readonly signal?: AbortSignal;
    /** Where an operation that does not write may read. Default: `services`. */
    readonly chooseReads?: () => Reads;
    readonly onWritten?: () => void;
  },
): GraphqlContext {
  const { viewer, requestId, signal = NEVER_ABORTED, chooseReads, onWritten } = request;
  let chosen: Reads | null = null;
  const reads = (): Reads => (chosen ??= chooseReads?.() ?? services);
  return {
    viewer,
    requestId,
    signal,
    services,
    reads,
    beginWriting: () => (chosen = services),
    hasWritten: () => onWritten?.(),
    loaders: createLoaders(services, reads),
  };
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
