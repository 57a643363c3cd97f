import type { Viewer } from '../domain/accounts/viewer.js';

/** What a resolver is given of the request. */
export interface GraphqlContext {
  readonly viewer: Viewer | null;
}
