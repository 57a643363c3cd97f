import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, type PubSub } from 'type-graphql';

import { assertRootFieldsMarked, authChecker } from './access.js';
import { AccessTokensResolver } from './resolvers/accessTokens.resolver.js';
import { ClosingResolver } from './resolvers/closing.resolver.js';
import { AccountNotesResolver } from './resolvers/accountNotes.resolver.js';
import { AccountResolver, ViewerResolver } from './resolvers/account.resolver.js';
import { AnalyticsResolver, TopVideoFieldsResolver } from './resolvers/analytics.resolver.js';
import { ApiKeyFieldsResolver, ApiKeysResolver } from './resolvers/apiKeys.resolver.js';
import { BillingResolver, WalletBillingResolver } from './resolvers/billing.resolver.js';
import { AllocationCauseFieldsResolver, VideoCauseFieldsResolver } from './resolvers/ledgerCauseFields.resolver.js';
import { BinResolver } from './resolvers/bin.resolver.js';
import { BrandResolver } from './resolvers/brand.resolver.js';
import { CaptionsResolver } from './resolvers/captions.resolver.js';
import { EventsResolver } from './resolvers/events.resolver.js';
import { NotificationsResolver } from './resolvers/notifications.resolver.js';
import { ExplainPlaybackResolver } from './resolvers/explainPlayback.resolver.js';
import { LiveResolver } from './resolvers/live.resolver.js';
import { PricingResolver, ProcessingResolver } from './resolvers/processing.resolver.js';
import { ReferralsResolver } from './resolvers/referrals.resolver.js';
import { SessionsResolver } from './resolvers/sessions.resolver.js';
import { SupportResolver } from './resolvers/support.resolver.js';
import { AccountEmailResolvers } from './resolvers/supportAccountEmails.resolver.js';
import { StaffRequestsResolver } from './resolvers/staffRequests.resolver.js';
import { SupportAdjustmentsResolver } from './resolvers/supportAdjustments.resolver.js';
import { SupportAlertsResolver } from './resolvers/supportAlerts.resolver.js';
import { SupportTotalsResolver } from './resolvers/supportTotals.resolver.js';
import { SupportVideosResolver } from './resolvers/supportVideos.resolver.js';
import { SpendingResolver } from './resolvers/spending.resolver.js';
import { StorageResolver, SupportStorageResolver } from './resolvers/storage.resolver.js';
import { SupportAccountFieldsResolver } from './resolvers/supportAccountFields.resolver.js';
import { SupportPaymentsResolver } from './resolvers/supportPayments.resolver.js';
import { TopUpDocumentsResolver, TopUpsResolver } from './resolvers/topUps.resolver.js';
import { VideoFieldsResolver } from './resolvers/videoFields.resolver.js';
import { VideoBatchesResolver } from './resolvers/videoBatches.resolver.js';
import { VideosResolver } from './resolvers/videos.resolver.js';
import { WalletResolver } from './resolvers/wallet.resolver.js';
import { WebhookEndpointsResolver } from './resolvers/webhookEndpoints.resolver.js';
import { TestModeResolver } from './resolvers/testMode.resolver.js';

/** type-graphql requires a PubSub; every subscription here has its own `subscribe` instead. */
const NO_PUB_SUB: PubSub = {
  publish: () => undefined,
  subscribe: () => {
    throw new Error('subscriptions come from LiveEvents');
  },
};

/** Builds the whole schema. It contains no services: resolvers get those from the context of each request. */
export function buildGraphqlSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    // Apollo Server checks it at each start.
    skipCheck: true,
    resolvers: [
      ...AccountEmailResolvers,
      AllocationCauseFieldsResolver,
      BillingResolver,
      AccessTokensResolver,
      AccountNotesResolver,
      AccountResolver,
      ClosingResolver,
      AnalyticsResolver,
      ApiKeyFieldsResolver,
      ApiKeysResolver,
      BinResolver,
      BrandResolver,
      CaptionsResolver,
      EventsResolver,
      NotificationsResolver,
      ExplainPlaybackResolver,
      LiveResolver,
      PricingResolver,
      ProcessingResolver,
      ReferralsResolver,
      SessionsResolver,
      SpendingResolver,
      StorageResolver,
      SupportAccountFieldsResolver,
      StaffRequestsResolver,
      SupportAdjustmentsResolver,
      SupportAlertsResolver,
      SupportPaymentsResolver,
      SupportStorageResolver,
      SupportTotalsResolver,
      SupportVideosResolver,
      SupportResolver,
      VideoCauseFieldsResolver,
      TestModeResolver,
      TopUpDocumentsResolver,
      TopUpsResolver,
      TopVideoFieldsResolver,
      VideoBatchesResolver,
      VideoFieldsResolver,
      VideosResolver,
      ViewerResolver,
      WalletBillingResolver,
      WalletResolver,
      WebhookEndpointsResolver,
    ],
    authChecker,
    authMode: 'error',
    validate: false,
    pubSub: NO_PUB_SUB,
  });
  assertRootFieldsMarked(schema);
  return schema;
}
