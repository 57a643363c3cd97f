import { ApolloClient, InMemoryCache, type ApolloLink } from '@apollo/client';
import { growingConnection } from '../app/growingConnection.js';

/**
 * A client with a cache of its own for the console.
 *
 * The page's own cache knows one wallet, that of whoever is signed in; what staff see of others must never get there.
 * And what was looked up is gone with the console: it is kept in memory for as long as the page is open.
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
