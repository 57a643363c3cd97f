import type { ApolloClient } from '@apollo/client';
import { refresh } from '../session/refresh.js';

const ACTIVITY: ReadonlySet<string> = new Set(['VideoActivity']);

/** Has the open page list what it has just changed. */
export function rereadActivity(client: ApolloClient): void {
  refresh(client, ACTIVITY);
}
