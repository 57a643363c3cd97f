import { ApolloClient, InMemoryCache, type ApolloLink } from '@apollo/client';
import { growingConnection } from '../lib/growingConnection.js';

/**
 * A GraphQL client with a separate cache for the console.
 *
 * The page's own cache holds one wallet, the signed-in user's; data of other accounts must never get there. This cache
 * exists only in memory, while the console is open.
 */
export function createSupportClient(link: ApolloLink): ApolloClient {
  return new ApolloClient({
    link,
    cache: new InMemoryCache({
      typePolicies: {
        Query: {
          fields: {
            alerts: growingConnection(['resolved']),
            adjustmentRequests: growingConnection(['status']),
            suspenseItems: growingConnection(['all']),
            topUpsWithoutWebhook: growingConnection([]),
            topUpsOf: growingConnection(['accountId']),
            failedVideos: growingConnection([]),
            webhookEvents: growingConnection(['status', 'provider']),
            auditLog: growingConnection(['accountId', 'action']),
          },
        },
        SupportAccount: {
          fields: { wallet: { merge: true }, storage: { merge: true }, videos: growingConnection([]) },
        },
        Wallet: { keyFields: false, fields: { entries: growingConnection(['filter']) } },
        FailedVideo: { keyFields: ['videoId'] },
      },
    }),
    defaultOptions: { watchQuery: { fetchPolicy: 'cache-and-network' } },
  });
}
