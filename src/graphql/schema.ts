import 'reflect-metadata';

import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, type PubSub } from 'type-graphql';

import { assertRootFieldsMarked, authChecker } from './access.js';
import { ApiKeysResolver } from './resolvers/apiKeys.resolver.js';
import { LiveResolver } from './resolvers/live.resolver.js';
import { PricingResolver } from './resolvers/pricing.resolver.js';
import { ProcessingResolver } from './resolvers/processing.resolver.js';
import { SupportResolver } from './resolvers/support.resolver.js';
import { SupportAccountFieldsResolver } from './resolvers/supportAccountFields.resolver.js';
import { VideoFieldsResolver } from './resolvers/videoFields.resolver.js';
import { VideosResolver } from './resolvers/videos.resolver.js';
import { ViewerResolver } from './resolvers/viewer.resolver.js';
import { WalletResolver } from './resolvers/wallet.resolver.js';

/** type-graphql insists on one; every subscription here brings its own `subscribe` instead. */
const NO_PUB_SUB: PubSub = {
  publish: () => undefined,
  subscribe: () => {
    throw new Error('subscriptions come from LiveEvents');
  },
};

/** The whole schema. It holds no service: resolvers find those in the context of each request. */
export function buildGraphqlSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      ApiKeysResolver,
      LiveResolver,
      PricingResolver,
      ProcessingResolver,
      SupportAccountFieldsResolver,
      SupportResolver,
      VideoFieldsResolver,
      VideosResolver,
      ViewerResolver,
      WalletResolver,
    ],
    authChecker,
    authMode: 'error',
    validate: false,
    pubSub: NO_PUB_SUB,
  });
  assertRootFieldsMarked(schema);
  return schema;
}
