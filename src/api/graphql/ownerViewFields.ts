/**
 * Root fields that staff can ask for while they look at an account as its owner sees it. Every other field is refused, so
 * a new one is refused until somebody lists it here. List only what changes nothing, reveals no secret, and is not about the owner's
 * own sign-in.
 */
export const OWNER_VIEW_FIELDS: ReadonlySet<string> = new Set([
  'analytics',
  'apiKeys',
  'billingDetails',
  'bin',
  'brand',
  'closingConsequences',
  'event',
  'events',
  'explainPlayback',
  'notifications',
  'paymentProviders',
  'recentViews',
  'referrals',
  'revokedApiKeys',
  'spending',
  'statements',
  'storage',
  'topUp',
  'topUps',
  'topVideos',
  'video',
  'videoTags',
  'videos',
  'wallet',
  'webhookAttempts',
  'webhookDeliveries',
  'webhookEndpoints',
  'eventAdded',
  'videoProgress',
  'videosChanged',
  'walletChanged',
]);

/** The only mutation in a view. */
export const END_OWNER_VIEW = 'endOwnerView';
