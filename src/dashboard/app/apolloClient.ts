import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { ErrorLink } from '@apollo/client/link/error';
import { Kind, OperationTypeNode, type DocumentNode } from 'graphql';
import { from, mergeMap, tap } from 'rxjs';
import { FIRST_DOCUMENTS } from '../generated/firstDocuments.js';
import { nextTask } from '../lib/nextTask.js';
import { painted } from '../lib/painted.js';
import { wordsOf } from '../session/failures.js';
import { connection } from '../session/connection.js';
import type { FirstResponse } from './firstResponse.js';
import { growingConnection } from '../lib/growingConnection.js';
import { reportLive } from './liveState.js';
import { MODE_HEADERS } from '../session/mode.js';
import { session } from '../session/session.js';
import { SseLink } from './sseLink.js';
import { leaveFor, viewHeaders } from '../session/view.js';

/** An older first response is shown, but the queries are sent anyway. */
const FRESH_MS = 10_000;

/** Requests over HTTP, subscriptions over server-sent events, one normalized cache. */
export function createApolloClient(): ApolloClient {
  const noticeFailure = new ErrorLink(({ error }) => {
    const { code } = wordsOf(error);
    if (code === 'UNAUTHENTICATED') session.reportEnded();
    if (code === 'NETWORK') connection.reportLost();
    // What is on the page belongs to another identity than the session has now.
    if (code === 'VIEW_CHANGED' || code === 'VIEW_ENDED') leaveFor('/');
    if (CombinedGraphQLErrors.is(error)) connection.reportResponse();
  });
  const noticeResponse = new ApolloLink((operation, forward) =>
    forward(operation).pipe(tap({ next: () => connection.reportResponse() })),
  );
  const tellView = new ApolloLink((operation, forward) => {
    operation.setContext({ headers: viewHeaders() });
    return forward(operation);
  });
  // Sending a query takes a phone 20 ms, which what it shows first need not wait for.
  const afterFirstPaint = new ApolloLink((operation, forward) =>
    operation.client.prioritizeCacheValues
      ? from(painted()).pipe(mergeMap(() => forward(operation)))
      : forward(operation),
  );
  const sse = new SseLink({
    url: '/graphql/stream',
    onRefused: () => session.reportEnded(),
    onState: reportLive,
  });
  const http = ApolloLink.from([
    afterFirstPaint,
    noticeFailure,
    noticeResponse,
    tellView,
    new HttpLink({ uri: '/graphql', credentials: 'same-origin', headers: MODE_HEADERS }),
  ]);

  return new ApolloClient({
    link: ApolloLink.split(({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION, sse, http),
    cache: new InMemoryCache({
      typePolicies: {
        Query: {
          fields: {
            topUps: growingConnection([]),
            events: growingConnection(['types']),
          },
        },
        // One per page, because a signed-in user has one wallet.
        Wallet: { keyFields: [], fields: { entries: growingConnection(['filter']) } },
        Storage: { keyFields: [] },
        Referrals: { keyFields: [], fields: { invitees: growingConnection([]) } },
        Video: {
          fields: {
            tags: { merge: false },
            metadata: { merge: false },
            renditions: { merge: false },
            captions: { merge: false },
            chapters: { merge: false },
          },
        },
      },
    }),
    // Without this, a refetch after a change could share a response that was requested before it.
    queryDeduplication: false,
    defaultOptions: { watchQuery: { fetchPolicy: 'cache-and-network' } },
  });
}

/**
 * A client whose cache has the first response. Queries whose data it has are not sent before `askService`.
 *
 * Stores each document in its own task, before anything is rendered. Stored together, they would block a phone for a
 * tenth of a second.
 */
export async function clientWith({ page, variables, data, askedAtMs }: FirstResponse): Promise<ApolloClient> {
  const client = createApolloClient();
  // By the documents that the page's parts use: the bundle has no others, and none is prepared twice.
  const queries: readonly DocumentNode[] = FIRST_DOCUMENTS[page];
  for (const query of queries) {
    await nextTask();
    client.cache.writeQuery({ query, variables, data });
  }
  client.prioritizeCacheValues = performance.now() - askedAtMs < FRESH_MS;
  for (const query of queries) {
    await nextTask();
    readAhead(client, query, variables);
  }
  return client;
}

/** What a query's first use prepares is kept by the client, and is most of the time that the use takes. */
function readAhead(client: ApolloClient, query: DocumentNode, variables: FirstResponse['variables']): void {
  const [operation] = query.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return;
  const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  const own = Object.fromEntries(Object.entries(variables).filter(([name]) => names.includes(name)));
  client.watchQuery({ query, variables: own }).getCurrentResult();
}

/** From now on, every query is sent. */
export function askService(client: ApolloClient): void {
  client.prioritizeCacheValues = false;
}
