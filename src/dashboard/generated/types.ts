// Written by writeTypes.ts from schema.graphql and the .graphql files of the dashboard. Do not edit.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** What a program may do with a token. */
export type AccessTokenScope =
  /** Change and delete videos, captions and settings; revoke API keys; preview videos. */
  | 'MANAGE'
  /** Process videos, move credits, start top-ups and request refunds. */
  | 'MONEY'
  /** Read everything that the owner sees. Every token may. */
  | 'READ';

export type Addon =
  | 'BRANDING'
  | 'ENCRYPTION';

export type AdjustmentStatus =
  | 'APPROVED'
  | 'EXPIRED'
  | 'PENDING'
  | 'REFUSED';

export type AnalyticsDimension =
  | 'BROWSER'
  | 'COUNTRY'
  | 'DEVICE'
  | 'KEY';

export type AnalyticsGranularity =
  | 'DAY'
  | 'HOUR';

/** A period of UTC days. A view belongs to the time when its token was created. */
export type AnalyticsInput = {
  /** For `breakdown`. */
  dimension?: AnalyticsDimension | null | undefined;
  /** The first day. */
  from: string;
  granularity?: AnalyticsGranularity;
  /** The last day, included. At most 400 days by day, 31 by hour. */
  to: string;
  /** `vid_…` or the UUID; all videos if left out. */
  videoId?: string | number | null | undefined;
};

export type BillingDetailsInput = {
  /** Up to six lines of 120 characters. */
  addressLines: Array<string>;
  /** ISO 3166, two letters. */
  country: string;
  email?: string | null | undefined;
  /** Its check digit is checked. */
  gstin?: string | null | undefined;
  /** Up to 200 characters. */
  legalName: string;
  /** Two digits; left out, it is taken from the GSTIN. */
  stateCode?: string | null | undefined;
};

/** Whole percent. */
export type BrandPlacementInput = {
  /** 0 to 20, of the picture's width. */
  marginPercent: number;
  /** 5 to 100. */
  opacityPercent: number;
  position: BrandPosition;
  /** 2 to 50, of the picture's width. */
  widthPercent: number;
};

export type BrandPosition =
  | 'BOTTOM_LEFT'
  | 'BOTTOM_RIGHT'
  | 'CENTER'
  | 'TOP_LEFT'
  | 'TOP_RIGHT';

/** The balances between which an owner can move credits. */
export type Bucket =
  | 'AI'
  | 'CLOUD'
  | 'CREATIVE'
  | 'MASTER';

export type CancellationResult =
  /** A worker has begun: processing continues. */
  | 'BEGUN'
  | 'CANCELLED'
  /** Too many videos of the account wait for their files or for processing: processing continues. */
  | 'LIMIT_REACHED'
  /** The video is not being processed. */
  | 'OVER';

/** Where a track or a chapter comes from. */
export type CaptionOrigin =
  /** From the uploaded video. */
  | 'SOURCE'
  /** Sent by the owner. */
  | 'UPLOAD';

export type ChapterInput = {
  startSeconds: number;
  title: string;
};

export type CreateVideoInput = {
  /** Quote and process at `quality` as soon as the upload is measured, without asking again. */
  autoProcess?: boolean;
  branding?: boolean;
  encryption?: boolean;
  filename: string;
  /** Bring all sound to -16 LUFS (EBU R 128), true peaks below -1.5 dBTP. Free. */
  normalizeLoudness?: boolean;
  quality?: Quality | null | undefined;
  sizeBytes: number;
  /** Test mode only. */
  testFault?: TestVideoFault | null | undefined;
  /** For READY_AFTER_N_SECONDS: 1 to 600. */
  testFaultSeconds?: number | null | undefined;
  /** Defaults to the file name without its extension. */
  title?: string | null | undefined;
};

/** Types of events. `VIDEO_READY` is `video.ready` in payloads. */
export type EventType =
  | 'DISPUTE_OPENED'
  | 'KEY_CREATED'
  | 'KEY_REVOKED'
  | 'QUOTA_CHANGED'
  | 'QUOTA_REACHED'
  | 'QUOTA_WARNING'
  | 'REFERRAL_REVERSED'
  | 'REFERRAL_REWARDED'
  | 'REFUND_BOOKED'
  | 'STORAGE_ARREARS'
  | 'TOPUP_CREDITED'
  | 'VIDEO_DELETED'
  | 'VIDEO_FAILED'
  | 'VIDEO_PLAYABLE'
  | 'VIDEO_READY'
  | 'VIDEO_RESTORED'
  | 'VIDEO_UPLOADED'
  | 'WALLET_LOW'
  | 'WALLET_RUNWAY_SHORT';

/** The accounts of a wallet: the buckets, and what is held or owed. */
export type LedgerAccount =
  | 'AI'
  | 'CLOUD'
  | 'CREATIVE'
  | 'DEBT'
  | 'DISPUTE_HOLD'
  | 'ESCROW'
  | 'MASTER'
  | 'REFUND_HOLD';

export type LedgerEntryType =
  | 'ADJUSTMENT'
  | 'ALLOCATION'
  | 'DISPUTE'
  | 'ESCROW_LOCK'
  | 'ESCROW_RELEASE'
  | 'ESCROW_SETTLE'
  | 'REFERRAL_BONUS'
  | 'REFUND'
  | 'STORAGE'
  | 'TOPUP';

/** Each field narrows the result. Omitted fields do not filter. */
export type LedgerFilterInput = {
  accounts?: Array<LedgerAccount> | null | undefined;
  /** Only entries that add or take exactly this. */
  amount?: string | null | undefined;
  /** From this time on. */
  from?: string | null | undefined;
  /** Before this time. */
  to?: string | null | undefined;
  types?: Array<LedgerEntryType> | null | undefined;
  /** Only entries about this video: credits locked, charged or returned. */
  videoId?: string | number | null | undefined;
};

export type MetadataEntryInput = {
  key: string;
  value: string;
};

/** Videos whose metadata has this key; with a value, only with exactly that one. */
export type MetadataFilterInput = {
  key: string;
  value?: string | null | undefined;
};

export type PaymentProviderName =
  | 'RAZORPAY'
  | 'STRIPE';

/** A rule that decides whether something plays. */
export type PlaybackRule =
  | 'ACCOUNT'
  | 'EXPIRY'
  | 'GRANT'
  | 'KEY'
  | 'QUOTA'
  | 'RENDITION'
  | 'SIGNATURE'
  | 'SITE'
  | 'VIDEO';

export type PlaybackRuleOutcome =
  | 'FAILED'
  | 'NOT_CHECKED'
  | 'PASSED';

/** One step in the history of a view. */
export type PlaybackStoryStep =
  | 'ENDED'
  | 'ERROR'
  | 'EXCHANGED'
  | 'FIRST_FRAME'
  | 'LAST_REPORT'
  | 'MINTED'
  | 'NOT_EXCHANGED'
  | 'NOT_REPORTED'
  | 'NO_FIRST_FRAME'
  | 'STALLED'
  | 'SWITCHED'
  | 'WATCHED';

/** What an explanation is about. UNKNOWN stands for everything that the account does not have. */
export type PlaybackSubject =
  | 'KEY'
  | 'TOKEN'
  | 'UNKNOWN'
  | 'VIEW';

export type ProcessingState =
  | 'CANCELLED'
  | 'FAILED'
  | 'QUEUED'
  | 'RUNNING'
  | 'SUCCEEDED';

/** The top rendition to produce. Lower ones are included. */
export type Quality =
  | 'AUDIO'
  | 'P480'
  | 'P720'
  | 'P1080'
  | 'P1440'
  | 'P2160';

export type QuoteItem =
  | 'BRANDING'
  | 'ENCRYPTION'
  | 'PROCESSING';

export type ReferralRole =
  | 'INVITEE'
  | 'REFERRER';

export type ReferralStatus =
  /** There is no bonus, and there will be none. */
  | 'CANCELLED'
  /** The first top-up was refunded within the window: both bonuses are taken back. */
  | 'CLAWED_BACK'
  /** Has topped up: both bonuses are booked. */
  | 'GRANTED'
  /** Signed up, and has not topped up yet. */
  | 'PENDING';

/** What a rendition is. P360 and P432 come with every picture, free of charge. */
export type RenditionQuality =
  | 'AUDIO'
  | 'P360'
  | 'P432'
  | 'P480'
  | 'P720'
  | 'P1080'
  | 'P1440'
  | 'P2160';

export type Role =
  | 'OWNER'
  | 'SUPPORT';

export type SpendingUnit =
  | 'DAY'
  | 'MONTH';

export type StaffRequestKind =
  | 'QUOTA'
  | 'REFUND';

export type SuspenseStatus =
  | 'OPEN'
  | 'REFUNDED'
  | 'RESOLVED';

/** News that owners can switch off. Emails about security and receipts are always sent. */
export type SwitchableNotification =
  | 'VIDEO_FAILED'
  | 'VIDEO_READY'
  | 'WALLET_LOW'
  | 'WALLET_RUNWAY_SHORT'
  | 'WEBHOOK_DISABLED';

export type TestDisputeOutcome =
  | 'LOST'
  | 'WON';

/** How a test key fails: only one token is left today, its tokens have expired when they are created, or they can be exchanged for an hour after their expiry. */
export type TestKeyFault =
  | 'QUOTA_NEARLY_USED'
  | 'TOKENS_EXPIRED'
  | 'TOKENS_LIVE_ON';

/** How a test video fails: at 50%, or by starting to process late. */
export type TestVideoFault =
  | 'ENCODE_FAILS_AT_HALF'
  | 'READY_AFTER_N_SECONDS';

/** How a test endpoint receives events: each twice, a minute late, or in batches of 30 seconds with the newest first. */
export type TestWebhookFault =
  | 'LATE'
  | 'OUT_OF_ORDER'
  | 'TWICE';

export type TopUpDisputeState =
  | 'LOST'
  | 'OPEN'
  | 'WON';

export type TopUpRefundState =
  | 'FAILED'
  | 'PENDING'
  | 'PROCESSED'
  | 'REFUSED'
  | 'REQUESTED';

/** OPENING: the provider could not be reached yet. PAID: the provider has confirmed it, and it is credited. */
export type TopUpStatus =
  | 'EXPIRED'
  | 'OPEN'
  | 'OPENING'
  | 'PAID';

export type TopVideosInput = {
  /** 1 to 50. */
  first?: number;
  /** The first day. */
  from: string;
  /** The last day, included. At most 400 days. */
  to: string;
};

/** Fields left out do not change. */
export type UpdateCaptionsInput = {
  isForced?: boolean | null | undefined;
  isSdh?: boolean | null | undefined;
  label?: string | null | undefined;
  language?: string | null | undefined;
};

/** Fields left out do not change. */
export type UpdateVideoInput = {
  description?: string | null | undefined;
  metadata?: Array<MetadataEntryInput> | null | undefined;
  tags?: Array<string> | null | undefined;
  title?: string | null | undefined;
};

export type UpdateWebhookEndpointInput = {
  /** Left out: unchanged. */
  description?: string | null | undefined;
  /** Left out: unchanged. Null: all. */
  eventTypes?: Array<EventType> | null | undefined;
  /** Left out: unchanged. */
  url?: string | null | undefined;
};

export type UploadCaptionsInput = {
  /** Forced subtitles: only lines that must be read. Defaults to false. */
  isForced?: boolean | null | undefined;
  /** For the deaf and hard of hearing. Defaults to false. */
  isSdh?: boolean | null | undefined;
  /** A track of the same label is replaced. */
  label: string;
  /** BCP 47, such as en, hi or pt-BR. */
  language: string;
  /** SRT or WebVTT, read as UTF-8; at most 1,000,000 bytes. */
  text: string;
};

export type VideoActivityKind =
  | 'BOUGHT'
  | 'CANCELLED'
  | 'CAPTIONS_CHANGED'
  | 'CHAPTERS_CHANGED'
  | 'DELETED'
  | 'DETAILS_CHANGED'
  | 'FAILED'
  | 'MEASURED'
  /** The first playback token that a key created on a UTC day. */
  | 'MINTED'
  | 'PLAYABLE'
  | 'POSTER_CHANGED'
  | 'READY'
  | 'RESTORED'
  | 'RETRIED'
  | 'TAGS_CHANGED'
  | 'UPLOADED'
  | 'VIEWS';

export type VideoActor =
  | 'ACCESS_TOKEN'
  | 'API_KEY'
  | 'OWNER'
  | 'SERVICE'
  | 'SUPPORT'
  | 'VIEWERS';

export type VideoSort =
  /** By the total cost of processing so far. */
  | 'HIGHEST_COST'
  /** By plays in the last 30 days, today included (UTC). */
  | 'LEAST_PLAYED'
  | 'LONGEST'
  /** By the total cost of processing so far. */
  | 'LOWEST_COST'
  /** By plays in the last 30 days, today included (UTC). */
  | 'MOST_PLAYED'
  | 'NEWEST'
  | 'OLDEST'
  | 'SHORTEST'
  | 'TITLE'
  | 'TITLE_DESC';

export type VideoStatus =
  | 'AWAITING_UPLOAD'
  | 'FAILED'
  | 'PROCESSING'
  | 'QUEUED'
  | 'READY'
  | 'UPLOADED'
  | 'UPLOADING';

export type WebhookDeliveryState =
  /** Given up after ten attempts. */
  | 'FAILED'
  /** Waiting for its next attempt. */
  | 'PENDING'
  /** The server responded with 2xx. */
  | 'SUCCEEDED';

export type WebhookDisabledReason =
  /** Every attempt failed for three days in which none was more than 28 hours after the one before. */
  | 'FAILING'
  /** It responded with 410. */
  | 'GONE'
  /** Disabled by its owner. */
  | 'OWNER';

/** WAITING: for its payment. FAILED: retried a few times, then left to staff. */
export type WebhookStatus =
  | 'DONE'
  | 'FAILED'
  | 'IGNORED'
  | 'PENDING'
  | 'SUSPENSE'
  | 'WAITING';

export type AnalyticsTotalsFragment = { views: number, uniqueViews: number, plays: number, completions: number, completionRate: number | null, watchedMs: number, averageWatchedShare: number | null, exitsBeforeStart: number, exitBeforeStartRate: number | null, startupP50Ms: number | null, startupP95Ms: number | null, stalls: number, rebufferRatio: number | null, renditionSwitches: number, errors: number };

export type AnalyticsLineFragment = { views: number, uniqueViews: number, watchedMs: number, completionRate: number | null };

export type AnalyticsQueryVariables = Exact<{
  input: AnalyticsInput;
}>;


export type AnalyticsQuery = { analytics: { retention: Array<number> | null, totals: { views: number, uniqueViews: number, plays: number, completions: number, completionRate: number | null, watchedMs: number, averageWatchedShare: number | null, exitsBeforeStart: number, exitBeforeStartRate: number | null, startupP50Ms: number | null, startupP95Ms: number | null, stalls: number, rebufferRatio: number | null, renditionSwitches: number, errors: number }, series: Array<{ startsAt: string, figures: { views: number, uniqueViews: number, watchedMs: number } }> } };

export type AnalyticsBreakdownQueryVariables = Exact<{
  input: AnalyticsInput;
}>;


export type AnalyticsBreakdownQuery = { analytics: { breakdown: Array<{ value: string | null, figures: { views: number, uniqueViews: number, watchedMs: number, completionRate: number | null } }> | null } };

export type TopVideosQueryVariables = Exact<{
  input: TopVideosInput;
}>;


export type TopVideosQuery = { topVideos: Array<{ videoId: string, title: string | null, figures: { views: number, uniqueViews: number, watchedMs: number, completionRate: number | null } }> };

export type KeyNamesQueryVariables = Exact<{ [key: string]: never; }>;


export type KeyNamesQuery = { apiKeys: Array<{ id: string, name: string }> };

export type VideoLengthQueryVariables = Exact<{
  id: string | number;
}>;


export type VideoLengthQuery = { video: { id: string, durationSeconds: number | null } | null };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { id: string, email: string, emailVerified: boolean, name: string, twoFactorEnabled: boolean, twoFactorPassed: boolean, role: Role, view: { id: string, staffEmail: string, secondsLeft: number, isOver: boolean } | null, account: { id: string, suspended: boolean, closing: { eraseAfter: string } | null } } | null };

export type ViewerFieldsFragment = { id: string, email: string, emailVerified: boolean, name: string, twoFactorEnabled: boolean, twoFactorPassed: boolean, role: Role, view: { id: string, staffEmail: string, secondsLeft: number, isOver: boolean } | null, account: { id: string, suspended: boolean, closing: { eraseAfter: string } | null } };

export type VideosChangedSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type VideosChangedSubscription = { videosChanged: { id: string | null, video: { id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null } | null } };

export type WalletChangedSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type WalletChangedSubscription = { walletChanged: { master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket> } };

export type EndOwnerViewMutationVariables = Exact<{ [key: string]: never; }>;


export type EndOwnerViewMutation = { endOwnerView: boolean };

export type EventFieldsFragment = { id: string, type: EventType, version: number, createdAt: string, payload: string, cursor: string };

export type EventsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  types?: Array<EventType> | EventType | null | undefined;
}>;


export type EventsQuery = { events: { edges: Array<{ cursor: string, node: { id: string, type: EventType, version: number, createdAt: string, payload: string, cursor: string } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type EventAddedSubscriptionVariables = Exact<{
  after?: string | null | undefined;
  types?: Array<EventType> | EventType | null | undefined;
}>;


export type EventAddedSubscription = { eventAdded: { id: string, type: EventType, version: number, createdAt: string, payload: string, cursor: string } };

export type TestToolsQueryVariables = Exact<{ [key: string]: never; }>;


export type TestToolsQuery = { testClock: { now: string }, testWallet: { available: string, disputeHold: string, debt: string, payments: Array<{ id: string, dispute: { id: string, state: TopUpDisputeState } | null }> } };

export type MoveTestClockMutationVariables = Exact<{
  seconds: number;
}>;


export type MoveTestClockMutation = { moveTestClock: { now: string } };

export type SimulatePaymentDisputeMutationVariables = Exact<{ [key: string]: never; }>;


export type SimulatePaymentDisputeMutation = { simulatePaymentDispute: { id: string } };

export type EndPaymentDisputeMutationVariables = Exact<{
  paymentId: string | number;
  outcome: TestDisputeOutcome;
}>;


export type EndPaymentDisputeMutation = { endPaymentDispute: { id: string } };

export type RunningJobsQueryVariables = Exact<{ [key: string]: never; }>;


export type RunningJobsQuery = { running: { totalCount: number | null, edges: Array<{ node: { id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null } }> }, queued: { totalCount: number | null, edges: Array<{ node: { id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null } }> } };

export type HomeQueryVariables = Exact<{ [key: string]: never; }>;


export type HomeQuery = { wallet: { lowBalanceWarning: string | null, master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket>, everBooked: { edges: Array<{ cursor: string, node: { id: string } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } }, storage: { bytes: number, creditsPerDay: string, runwayDays: number | null, autoAllocate: boolean }, ready: { edges: Array<{ node: { id: string } }> }, recentViews: { playsToday: number, playsLast30Days: number, ever: boolean } };

export type NewestVideosQueryVariables = Exact<{ [key: string]: never; }>;


export type NewestVideosQuery = { videos: { edges: Array<{ node: { id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null } }> } };

export type PaymentSandboxQueryVariables = Exact<{ [key: string]: never; }>;


export type PaymentSandboxQuery = { paymentProviders: Array<{ name: PaymentProviderName, sandbox: boolean }> };

export type NeedsYouQueryVariables = Exact<{ [key: string]: never; }>;


export type NeedsYouQuery = { failed: { totalCount: number | null, edges: Array<{ node: { id: string, title: string, status: VideoStatus, measured: boolean, autoProcess: boolean, failure: { code: string, message: string } | null } }> }, uploaded: { edges: Array<{ node: { id: string, title: string, status: VideoStatus, measured: boolean, autoProcess: boolean, failure: { code: string, message: string } | null } }> }, webhookEndpoints: Array<{ id: string, disabledReason: WebhookDisabledReason | null, failingSince: string | null }>, apiKeys: Array<{ id: string, dailyQuota: number, usedToday: number, revokedAt: string | null }> };

export type NeededVideoFragment = { id: string, title: string, status: VideoStatus, measured: boolean, autoProcess: boolean, failure: { code: string, message: string } | null };

export type ApiKeyFieldsFragment = { id: string, name: string, prefix: string, last4: string, dailyQuota: number, usedToday: number, createdAt: string, revokedAt: string | null };

export type ApiKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type ApiKeysQuery = { apiKeys: Array<{ id: string, name: string, prefix: string, last4: string, dailyQuota: number, usedToday: number, createdAt: string, revokedAt: string | null }> };

export type RevokedApiKeysQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type RevokedApiKeysQuery = { revokedApiKeys: { edges: Array<{ node: { id: string, name: string, prefix: string, last4: string, dailyQuota: number, usedToday: number, createdAt: string, revokedAt: string | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type CreateApiKeyMutationVariables = Exact<{
  name: string;
  testFault?: TestKeyFault | null | undefined;
}>;


export type CreateApiKeyMutation = { createApiKey: { key: string, apiKey: { id: string, name: string, prefix: string, last4: string, dailyQuota: number, usedToday: number, createdAt: string, revokedAt: string | null } } };

export type RenameApiKeyMutationVariables = Exact<{
  id: string | number;
  name: string;
}>;


export type RenameApiKeyMutation = { renameApiKey: { id: string, name: string } };

export type RevokeApiKeyMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeApiKeyMutation = { revokeApiKey: { id: string, revokedAt: string | null } };

export type ApiKeyUsageQueryVariables = Exact<{
  days: number;
}>;


export type ApiKeyUsageQuery = { apiKeys: Array<{ id: string, usage: Array<{ day: string, used: number, dailyQuota: number }> }> };

export type PaletteVideosQueryVariables = Exact<{
  first: number;
  q: string;
}>;


export type PaletteVideosQuery = { found: { edges: Array<{ node: { id: string, title: string } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type PaletteLedgerQueryVariables = Exact<{
  first: number;
  filter: LedgerFilterInput;
}>;


export type PaletteLedgerQuery = { wallet: { entries: { edges: Array<{ node: { id: string, transactionId: string, type: LedgerEntryType, amount: string, createdAt: string, cause:
            | { __typename: 'AdjustmentCause' }
            | { __typename: 'AllocationCause' }
            | { __typename: 'DisputeCause' }
            | { __typename: 'ReferralCause' }
            | { __typename: 'RefundCause' }
            | { __typename: 'StorageCause' }
            | { __typename: 'TopUpCause' }
            | { __typename: 'VideoCause', videoId: string, title: string | null }
           | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } };

export type VideoChoicesQueryVariables = Exact<{
  first: number;
  q?: string | null | undefined;
}>;


export type VideoChoicesQuery = { found: { totalCount: number | null, edges: Array<{ cursor: string, node: { id: string, title: string } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type VideoChoiceQueryVariables = Exact<{
  id: string | number;
}>;


export type VideoChoiceQuery = { video: { id: string, title: string } | null };

export type ExplanationFragment = { subject: PlaybackSubject, summary: string, failedRule: PlaybackRule | null, videoId: string | null, rules: Array<{ rule: PlaybackRule, outcome: PlaybackRuleOutcome, text: string, facts: Array<{ name: string, value: string }> }>, story: { summary: string, steps: Array<{ step: PlaybackStoryStep, at: string | null, text: string, facts: Array<{ name: string, value: string }> }> } | null };

export type ExplainPlaybackQueryVariables = Exact<{
  subject: string;
  site?: string | null | undefined;
}>;


export type ExplainPlaybackQuery = { explainPlayback: { subject: PlaybackSubject, summary: string, failedRule: PlaybackRule | null, videoId: string | null, rules: Array<{ rule: PlaybackRule, outcome: PlaybackRuleOutcome, text: string, facts: Array<{ name: string, value: string }> }>, story: { summary: string, steps: Array<{ step: PlaybackStoryStep, at: string | null, text: string, facts: Array<{ name: string, value: string }> }> } | null } };

export type StaffExplainPlaybackMutationVariables = Exact<{
  accountId: string | number;
  subject: string;
  site?: string | null | undefined;
  reason: string;
}>;


export type StaffExplainPlaybackMutation = { explainPlaybackOf: { subject: PlaybackSubject, summary: string, failedRule: PlaybackRule | null, videoId: string | null, rules: Array<{ rule: PlaybackRule, outcome: PlaybackRuleOutcome, text: string, facts: Array<{ name: string, value: string }> }>, story: { summary: string, steps: Array<{ step: PlaybackStoryStep, at: string | null, text: string, facts: Array<{ name: string, value: string }> }> } | null } };

export type NewestReadyQueryVariables = Exact<{ [key: string]: never; }>;


export type NewestReadyQuery = { videos: { edges: Array<{ node: { id: string, playableRungs: Array<RenditionQuality> } }> } };

export type ReferralsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type ReferralsQuery = { referrals: { code: string, link: string, referrerBonus: string, inviteeBonus: string, windowHours: number, totals: { invited: number, pending: number, granted: number, clawedBack: number, earned: string }, invitees: { edges: Array<{ cursor: string, node: { id: string, status: ReferralStatus, maskedEmail: string, joinedAt: string, bonus: string, windowEndsAt: string | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } };

export type AccessTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type AccessTokensQuery = { accessTokens: Array<{ id: string, name: string, scopes: Array<AccessTokenScope>, prefix: string, last4: string, createdAt: string, expiresAt: string | null, lastUsedAt: string | null }> };

export type CreateAccessTokenMutationVariables = Exact<{
  name: string;
  scopes: Array<AccessTokenScope> | AccessTokenScope;
  expiresInDays?: number | null | undefined;
}>;


export type CreateAccessTokenMutation = { createAccessToken: { token: string, accessToken: { id: string } } };

export type RevokeAccessTokenMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeAccessTokenMutation = { revokeAccessToken: string };

export type BrandFieldsFragment = { version: number, logoUrl: string, logoWidth: number, logoHeight: number, position: BrandPosition, widthPercent: number, marginPercent: number, opacityPercent: number };

export type BrandQueryVariables = Exact<{ [key: string]: never; }>;


export type BrandQuery = { brand: { version: number, logoUrl: string, logoWidth: number, logoHeight: number, position: BrandPosition, widthPercent: number, marginPercent: number, opacityPercent: number } | null };

export type SetBrandMutationVariables = Exact<{
  placement: BrandPlacementInput;
}>;


export type SetBrandMutation = { setBrand: { version: number, logoUrl: string, logoWidth: number, logoHeight: number, position: BrandPosition, widthPercent: number, marginPercent: number, opacityPercent: number } };

export type RemoveBrandMutationVariables = Exact<{ [key: string]: never; }>;


export type RemoveBrandMutation = { removeBrand: boolean };

export type BrandStillsQueryVariables = Exact<{ [key: string]: never; }>;


export type BrandStillsQuery = { videos: { edges: Array<{ cursor: string, node: { id: string, title: string, thumbnailUrl: string | null, width: number | null, height: number | null } }> } };

export type ClosingConsequencesQueryVariables = Exact<{ [key: string]: never; }>;


export type ClosingConsequencesQuery = { closingConsequences: { videos: number, storedBytes: number, apiKeys: number, webhookEndpoints: number, jobs: number, refund: string, lapsing: string, debt: string } };

export type CloseAccountMutationVariables = Exact<{
  email: string;
  password: string;
}>;


export type CloseAccountMutation = { closeAccount: { eraseAfter: string } };

export type ReopenAccountMutationVariables = Exact<{ [key: string]: never; }>;


export type ReopenAccountMutation = { reopenAccount: { id: string, suspended: boolean } };

export type NotificationsQueryVariables = Exact<{ [key: string]: never; }>;


export type NotificationsQuery = { notifications: Array<{ kind: SwitchableNotification, email: boolean, dashboard: boolean | null }> };

export type SetNotificationMutationVariables = Exact<{
  kind: SwitchableNotification;
  email?: boolean | null | undefined;
  dashboard?: boolean | null | undefined;
}>;


export type SetNotificationMutation = { setNotification: { kind: SwitchableNotification, email: boolean, dashboard: boolean | null } };

export type NotificationFieldsFragment = { kind: SwitchableNotification, email: boolean, dashboard: boolean | null };

export type SessionsQueryVariables = Exact<{ [key: string]: never; }>;


export type SessionsQuery = { viewer: { id: string, sessions: Array<{ id: string, current: boolean, createdAt: string, expiresAt: string, ipAddress: string | null, userAgent: string | null }> } | null };

export type EndSessionMutationVariables = Exact<{
  id: string | number;
}>;


export type EndSessionMutation = { endSession: string };

export type EndOtherSessionsMutationVariables = Exact<{ [key: string]: never; }>;


export type EndOtherSessionsMutation = { endOtherSessions: number };

export type AllowedDomainsQueryVariables = Exact<{ [key: string]: never; }>;


export type AllowedDomainsQuery = { viewer: { id: string, account: { id: string, allowedDomains: Array<string> } } | null };

export type SetAllowedDomainsMutationVariables = Exact<{
  domains: Array<string> | string;
}>;


export type SetAllowedDomainsMutation = { setAllowedDomains: { id: string, allowedDomains: Array<string> } };

export type StaffAdjustmentFragment = { id: string, accountId: string, accountEmail: string | null, amount: string, reason: string, status: AdjustmentStatus, requestedBy: string, requestedByEmail: string | null, requestedAt: string, expiresAt: string | null, decidedByEmail: string | null, decidedAt: string | null, decisionReason: string | null };

export type StaffRequestLineFragment = { id: string, accountId: string, accountEmail: string | null, kind: StaffRequestKind, apiKeyName: string | null, dailyQuota: number | null, amount: string | null, currency: string | null, reason: string, status: AdjustmentStatus, requestedBy: string, requestedByEmail: string | null, requestedAt: string, expiresAt: string, decidedByEmail: string | null, decidedAt: string | null, decisionReason: string | null };

export type StaffAlertFragment = { id: string, kind: string, subject: string, message: string, accountId: string | null, accountEmail: string | null, times: number, raisedAt: string, lastRaisedAt: string, resolvedAt: string | null };

export type StaffSuspenseFragment = { id: string, accountId: string, accountEmail: string | null, provider: PaymentProviderName, paymentId: string, orderId: string | null, topUpId: string | null, amountMinor: string, currency: string, credits: string | null, reason: string, status: SuspenseStatus, resolution: string | null, createdAt: string, resolvedAt: string | null };

export type StaffWebhookFragment = { id: string, provider: PaymentProviderName, eventId: string, type: string, status: WebhookStatus, attempts: number, lastError: string | null, outcome: string | null, accountId: string | null, accountEmail: string | null, paymentId: string | null, providerCreatedAt: string, receivedAt: string, nextAttemptAt: string | null, processedAt: string | null };

export type StaffWaitingQueryVariables = Exact<{
  first?: number | null | undefined;
}>;


export type StaffWaitingQuery = { alerts: { edges: Array<{ node: { id: string } }>, pageInfo: { hasNextPage: boolean } }, adjustmentRequests: { edges: Array<{ node: { id: string } }>, pageInfo: { hasNextPage: boolean } }, staffRequests: { edges: Array<{ node: { id: string } }>, pageInfo: { hasNextPage: boolean } }, suspenseItems: { edges: Array<{ node: { id: string } }>, pageInfo: { hasNextPage: boolean } }, topUpsWithoutWebhook: { edges: Array<{ node: { id: string } }>, pageInfo: { hasNextPage: boolean } }, failedVideos: { edges: Array<{ node: { videoId: string } }>, pageInfo: { hasNextPage: boolean } }, webhookEvents: { edges: Array<{ node: { id: string } }>, pageInfo: { hasNextPage: boolean } } };

export type StaffLedgerHealthQueryVariables = Exact<{ [key: string]: never; }>;


export type StaffLedgerHealthQuery = { ledgerHealth: { faults: number, firstFault: string | null, lastVerifiedAt: string | null, lastSeal: { blockNo: number, digest: string, entries: number, owners: number, sealedAt: string } | null } };

export type StaffAdjustmentsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  status?: AdjustmentStatus | null | undefined;
}>;


export type StaffAdjustmentsQuery = { adjustmentRequests: { edges: Array<{ cursor: string, node: { id: string, accountId: string, accountEmail: string | null, amount: string, reason: string, status: AdjustmentStatus, requestedBy: string, requestedByEmail: string | null, requestedAt: string, expiresAt: string | null, decidedByEmail: string | null, decidedAt: string | null, decisionReason: string | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type StaffApproveAdjustmentMutationVariables = Exact<{
  accountId: string | number;
  id: string | number;
  reason: string;
}>;


export type StaffApproveAdjustmentMutation = { approveAdjustment: { id: string, accountId: string, accountEmail: string | null, amount: string, reason: string, status: AdjustmentStatus, requestedBy: string, requestedByEmail: string | null, requestedAt: string, expiresAt: string | null, decidedByEmail: string | null, decidedAt: string | null, decisionReason: string | null } };

export type StaffRefuseAdjustmentMutationVariables = Exact<{
  accountId: string | number;
  id: string | number;
  reason: string;
}>;


export type StaffRefuseAdjustmentMutation = { refuseAdjustment: { id: string, accountId: string, accountEmail: string | null, amount: string, reason: string, status: AdjustmentStatus, requestedBy: string, requestedByEmail: string | null, requestedAt: string, expiresAt: string | null, decidedByEmail: string | null, decidedAt: string | null, decisionReason: string | null } };

export type StaffRequestsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  status?: AdjustmentStatus | null | undefined;
}>;


export type StaffRequestsQuery = { staffRequests: { edges: Array<{ cursor: string, node: { id: string, accountId: string, accountEmail: string | null, kind: StaffRequestKind, apiKeyName: string | null, dailyQuota: number | null, amount: string | null, currency: string | null, reason: string, status: AdjustmentStatus, requestedBy: string, requestedByEmail: string | null, requestedAt: string, expiresAt: string, decidedByEmail: string | null, decidedAt: string | null, decisionReason: string | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type StaffApproveRequestMutationVariables = Exact<{
  accountId: string | number;
  id: string | number;
  reason: string;
}>;


export type StaffApproveRequestMutation = { approveStaffRequest: { id: string, accountId: string, accountEmail: string | null, kind: StaffRequestKind, apiKeyName: string | null, dailyQuota: number | null, amount: string | null, currency: string | null, reason: string, status: AdjustmentStatus, requestedBy: string, requestedByEmail: string | null, requestedAt: string, expiresAt: string, decidedByEmail: string | null, decidedAt: string | null, decisionReason: string | null } };

export type StaffRefuseRequestMutationVariables = Exact<{
  accountId: string | number;
  id: string | number;
  reason: string;
}>;


export type StaffRefuseRequestMutation = { refuseStaffRequest: { id: string, accountId: string, accountEmail: string | null, kind: StaffRequestKind, apiKeyName: string | null, dailyQuota: number | null, amount: string | null, currency: string | null, reason: string, status: AdjustmentStatus, requestedBy: string, requestedByEmail: string | null, requestedAt: string, expiresAt: string, decidedByEmail: string | null, decidedAt: string | null, decisionReason: string | null } };

export type StaffAlertsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  resolved: boolean;
}>;


export type StaffAlertsQuery = { alerts: { edges: Array<{ cursor: string, node: { id: string, kind: string, subject: string, message: string, accountId: string | null, accountEmail: string | null, times: number, raisedAt: string, lastRaisedAt: string, resolvedAt: string | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type StaffResolveAlertMutationVariables = Exact<{
  id: string | number;
  reason: string;
}>;


export type StaffResolveAlertMutation = { resolveAlert: { id: string, kind: string, subject: string, message: string, accountId: string | null, accountEmail: string | null, times: number, raisedAt: string, lastRaisedAt: string, resolvedAt: string | null } };

export type StaffSuspenseItemsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  all: boolean;
}>;


export type StaffSuspenseItemsQuery = { suspenseItems: { edges: Array<{ cursor: string, node: { id: string, accountId: string, accountEmail: string | null, provider: PaymentProviderName, paymentId: string, orderId: string | null, topUpId: string | null, amountMinor: string, currency: string, credits: string | null, reason: string, status: SuspenseStatus, resolution: string | null, createdAt: string, resolvedAt: string | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type StaffResolveSuspenseMutationVariables = Exact<{
  id: string | number;
  reason: string;
}>;


export type StaffResolveSuspenseMutation = { resolveSuspenseItem: { id: string, accountId: string, accountEmail: string | null, provider: PaymentProviderName, paymentId: string, orderId: string | null, topUpId: string | null, amountMinor: string, currency: string, credits: string | null, reason: string, status: SuspenseStatus, resolution: string | null, createdAt: string, resolvedAt: string | null } };

export type StaffMissingWebhooksQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type StaffMissingWebhooksQuery = { topUpsWithoutWebhook: { edges: Array<{ cursor: string, node: { id: string, accountId: string, accountEmail: string | null, provider: PaymentProviderName, sandbox: boolean, status: TopUpStatus, amount: string, currency: string, credits: string, refundableAmount: string, orderId: string | null, paymentId: string | null, createdAt: string, creditedAt: string | null, expiresAt: string, webhookMissingSince: string | null, refunds: Array<{ id: string, amount: string, state: TopUpRefundState, createdAt: string }>, disputes: Array<{ id: string, amount: string, state: TopUpDisputeState, createdAt: string }> } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type StaffFailedVideosQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type StaffFailedVideosQuery = { failedVideos: { edges: Array<{ cursor: string, node: { accountId: string, accountEmail: string | null, videoId: string, title: string, attempt: number, failureCode: string | null, failureMessage: string | null, failedAt: string } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type StaffRetryVideoMutationVariables = Exact<{
  accountId: string | number;
  videoId: string | number;
  reason: string;
}>;


export type StaffRetryVideoMutation = { retryFailedVideo: { id: string, status: VideoStatus } };

export type StaffWebhooksQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  status?: WebhookStatus | null | undefined;
  provider?: PaymentProviderName | null | undefined;
}>;


export type StaffWebhooksQuery = { webhookEvents: { edges: Array<{ cursor: string, node: { id: string, provider: PaymentProviderName, eventId: string, type: string, status: WebhookStatus, attempts: number, lastError: string | null, outcome: string | null, accountId: string | null, accountEmail: string | null, paymentId: string | null, providerCreatedAt: string, receivedAt: string, nextAttemptAt: string | null, processedAt: string | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type StaffWebhookQueryVariables = Exact<{
  id: string | number;
}>;


export type StaffWebhookQuery = { webhookEvent: { id: string, provider: PaymentProviderName, eventId: string, type: string, status: WebhookStatus, attempts: number, lastError: string | null, outcome: string | null, accountId: string | null, accountEmail: string | null, paymentId: string | null, providerCreatedAt: string, receivedAt: string, nextAttemptAt: string | null, processedAt: string | null, body: string } };

export type StaffReplayWebhookMutationVariables = Exact<{
  id: string | number;
  reason: string;
}>;


export type StaffReplayWebhookMutation = { replayWebhook: { id: string, provider: PaymentProviderName, eventId: string, type: string, status: WebhookStatus, attempts: number, lastError: string | null, outcome: string | null, accountId: string | null, accountEmail: string | null, paymentId: string | null, providerCreatedAt: string, receivedAt: string, nextAttemptAt: string | null, processedAt: string | null } };

export type StaffNoteFragment = { id: string, body: string, authorEmail: string | null, createdAt: string, editedByEmail: string | null, editedAt: string | null, version: number };

export type StaffNotesQueryVariables = Exact<{
  id: string | number;
}>;


export type StaffNotesQuery = { account: { id: string, notes: Array<{ id: string, body: string, authorEmail: string | null, createdAt: string, editedByEmail: string | null, editedAt: string | null, version: number }> } | null };

export type StaffAddNoteMutationVariables = Exact<{
  accountId: string | number;
  body: string;
}>;


export type StaffAddNoteMutation = { addAccountNote: { id: string, body: string, authorEmail: string | null, createdAt: string, editedByEmail: string | null, editedAt: string | null, version: number } };

export type StaffEditNoteMutationVariables = Exact<{
  accountId: string | number;
  id: string | number;
  version: number;
  body: string;
}>;


export type StaffEditNoteMutation = { editAccountNote: { id: string, body: string, authorEmail: string | null, createdAt: string, editedByEmail: string | null, editedAt: string | null, version: number } };

export type StaffDeleteNoteMutationVariables = Exact<{
  accountId: string | number;
  id: string | number;
}>;


export type StaffDeleteNoteMutation = { deleteAccountNote: string };

export type StaffAccountHitFragment = { id: string, email: string, name: string, role: Role, emailVerified: boolean, suspendedAt: string | null, createdAt: string };

export type StaffKeyFragment = { id: string, name: string, prefix: string, last4: string, dailyQuota: number, usedToday: number, createdAt: string, revokedAt: string | null, usage: Array<{ day: string, used: number, dailyQuota: number }> };

export type StaffAuditFragment = { id: string, accountId: string, accountEmail: string | null, actorId: string | null, actorEmail: string | null, action: string, subject: string, reason: string, createdAt: string, details: Array<{ key: string, value: string }> };

export type StaffTopUpFragment = { id: string, accountId: string, accountEmail: string | null, provider: PaymentProviderName, sandbox: boolean, status: TopUpStatus, amount: string, currency: string, credits: string, refundableAmount: string, orderId: string | null, paymentId: string | null, createdAt: string, creditedAt: string | null, expiresAt: string, webhookMissingSince: string | null, refunds: Array<{ id: string, amount: string, state: TopUpRefundState, createdAt: string }>, disputes: Array<{ id: string, amount: string, state: TopUpDisputeState, createdAt: string }> };

export type StaffPageFragment = { endCursor: string | null, hasNextPage: boolean };

export type StaffSearchQueryVariables = Exact<{
  search: string;
}>;


export type StaffSearchQuery = { accounts: Array<{ id: string, email: string, name: string, role: Role, emailVerified: boolean, suspendedAt: string | null, createdAt: string }> };

export type StaffAccountQueryVariables = Exact<{
  id: string | number;
}>;


export type StaffAccountQuery = { account: { suspendedReason: string | null, id: string, email: string, name: string, role: Role, emailVerified: boolean, suspendedAt: string | null, createdAt: string, wallet: { master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket> }, apiKeys: Array<{ id: string, name: string, prefix: string, last4: string, dailyQuota: number, usedToday: number, createdAt: string, revokedAt: string | null, usage: Array<{ day: string, used: number, dailyQuota: number }> }>, storage: { bytes: number, creditsPerDay: string, runwayDays: number | null, autoAllocate: boolean } } | null };

export type StaffStorageDaysQueryVariables = Exact<{
  id: string | number;
  from: string;
  to: string;
}>;


export type StaffStorageDaysQuery = { account: { id: string, storage: { history: Array<{ day: string, bytes: number, charged: string, fromCloud: string, fromMaster: string, arrears: string }> } } | null };

export type StaffLedgerQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
  filter?: LedgerFilterInput | null | undefined;
}>;


export type StaffLedgerQuery = { account: { id: string, wallet: { entries: { edges: Array<{ cursor: string, node: { id: string, transactionId: string, type: LedgerEntryType, account: LedgerAccount, amount: string, balanceAfter: string, reference: string | null, videoId: string | null, createdAt: string, cause:
              | { __typename: 'AdjustmentCause', reason: string }
              | { __typename: 'AllocationCause' }
              | { __typename: 'DisputeCause' }
              | { __typename: 'ReferralCause' }
              | { __typename: 'RefundCause', refundId: string }
              | { __typename: 'StorageCause', date: string, isReversal: boolean }
              | { __typename: 'TopUpCause', provider: string, paymentId: string }
              | { __typename: 'VideoCause', title: string | null, attempt: number | null }
             | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } } | null };

export type StaffVideosQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type StaffVideosQuery = { account: { id: string, videos: { totalCount: number | null, edges: Array<{ cursor: string, node: { id: string, title: string, status: VideoStatus, quality: Quality | null, durationSeconds: number | null, sizeBytes: number | null, createdAt: string, failure: { code: string, message: string } | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } | null };

export type StaffTopUpsQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type StaffTopUpsQuery = { topUpsOf: { edges: Array<{ cursor: string, node: { id: string, accountId: string, accountEmail: string | null, provider: PaymentProviderName, sandbox: boolean, status: TopUpStatus, amount: string, currency: string, credits: string, refundableAmount: string, orderId: string | null, paymentId: string | null, createdAt: string, creditedAt: string | null, expiresAt: string, webhookMissingSince: string | null, refunds: Array<{ id: string, amount: string, state: TopUpRefundState, createdAt: string }>, disputes: Array<{ id: string, amount: string, state: TopUpDisputeState, createdAt: string }> } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type StaffAuditLogQueryVariables = Exact<{
  accountId?: string | number | null | undefined;
  action?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type StaffAuditLogQuery = { auditLog: { edges: Array<{ cursor: string, node: { id: string, accountId: string, accountEmail: string | null, actorId: string | null, actorEmail: string | null, action: string, subject: string, reason: string, createdAt: string, details: Array<{ key: string, value: string }> } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type StaffSetQuotaMutationVariables = Exact<{
  accountId: string | number;
  apiKeyId: string | number;
  dailyQuota: number;
  reason: string;
}>;


export type StaffSetQuotaMutation = { setApiKeyDailyQuota: { id: string, dailyQuota: number, usedToday: number } };

export type StaffSuspendMutationVariables = Exact<{
  accountId: string | number;
  reason: string;
}>;


export type StaffSuspendMutation = { suspendAccount: { id: string, suspendedAt: string | null, suspendedReason: string | null } };

export type StaffResumeMutationVariables = Exact<{
  accountId: string | number;
  reason: string;
}>;


export type StaffResumeMutation = { resumeAccount: { id: string, suspendedAt: string | null, suspendedReason: string | null } };

export type StaffAdjustMutationVariables = Exact<{
  accountId: string | number;
  amount: string;
  reason: string;
  idempotencyKey: string;
}>;


export type StaffAdjustMutation = { adjustWallet: { wallet: { master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket> }, pending: { id: string, status: AdjustmentStatus, expiresAt: string | null } | null } };

export type StaffRefundMutationVariables = Exact<{
  accountId: string | number;
  topUpId: string | number;
  amount: string;
  reason: string;
  idempotencyKey: string;
}>;


export type StaffRefundMutation = { refundTopUp: { id: string, accountId: string, accountEmail: string | null, provider: PaymentProviderName, sandbox: boolean, status: TopUpStatus, amount: string, currency: string, credits: string, refundableAmount: string, orderId: string | null, paymentId: string | null, createdAt: string, creditedAt: string | null, expiresAt: string, webhookMissingSince: string | null, refunds: Array<{ id: string, amount: string, state: TopUpRefundState, createdAt: string }>, disputes: Array<{ id: string, amount: string, state: TopUpDisputeState, createdAt: string }> } };

export type StaffProposeQuotaMutationVariables = Exact<{
  accountId: string | number;
  apiKeyId: string | number;
  dailyQuota: number;
  reason: string;
  idempotencyKey: string;
}>;


export type StaffProposeQuotaMutation = { proposeApiKeyDailyQuota: { id: string, status: AdjustmentStatus } };

export type StaffProposeRefundMutationVariables = Exact<{
  accountId: string | number;
  topUpId: string | number;
  amount: string;
  reason: string;
  idempotencyKey: string;
}>;


export type StaffProposeRefundMutation = { proposeRefund: { id: string, status: AdjustmentStatus } };

export type ViewAsOwnerMutationVariables = Exact<{
  accountId: string | number;
  reason: string;
}>;


export type ViewAsOwnerMutation = { viewAsOwner: { id: string } };

export type StaffTotalsQueryVariables = Exact<{
  days: number;
}>;


export type StaffTotalsQuery = { platformTotals: Array<{ day: string, accounts: number, signUps: number, creditsToppedUp: string, creditsSpent: string, creditsRefunded: string, videosUploaded: number, videosReady: number, videosFailed: number, minutesEncoded: number, tokens: number, views: number, storedBytes: number | null, isFinal: boolean, measuredAt: string }> };

export type StaffQueuesQueryVariables = Exact<{ [key: string]: never; }>;


export type StaffQueuesQuery = { queueAges: Array<{ kind: string, waiting: number | null, running: number | null, failed: number | null, oldestSeconds: number, lateAfterSeconds: number | null }> };

export type CreateVideoMutationVariables = Exact<{
  input: CreateVideoInput;
}>;


export type CreateVideoMutation = { createVideo: { video: { id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null }, upload: { id: string, url: string, sizeBytes: number, expiresAt: string } } };

export type DeletedVideosQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type DeletedVideosQuery = { bin: { totalCount: number, storedBytes: number, edges: Array<{ cursor: string, node: { id: string, title: string, durationSeconds: number | null, storedBytes: number, deletedAt: string, purgeAt: string } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type RestoreVideosMutationVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type RestoreVideosMutation = { restoreVideos: Array<string> };

export type DeleteVideoForeverMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteVideoForeverMutation = { deleteVideoForever: string };

export type EmptyBinMutationVariables = Exact<{
  until?: string | null | undefined;
}>;


export type EmptyBinMutation = { emptyBin: { deleted: number, remaining: number, until: string } };

export type CancelProcessingMutationVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type CancelProcessingMutation = { cancelProcessing: Array<{ videoId: string, result: CancellationResult }> };

export type CaptionFieldsFragment = { id: string, language: string, label: string, origin: CaptionOrigin, isForced: boolean, isSdh: boolean, sizeBytes: number };

export type VideoCaptionsFragment = { id: string, captions: Array<{ id: string, language: string, label: string, origin: CaptionOrigin, isForced: boolean, isSdh: boolean, sizeBytes: number }> };

export type VideoChaptersFragment = { id: string, chapters: Array<{ startSeconds: number, title: string, origin: CaptionOrigin | null }> };

export type VideoCaptionsQueryVariables = Exact<{
  id: string | number;
}>;


export type VideoCaptionsQuery = { video: { id: string, durationSeconds: number | null, captions: Array<{ id: string, language: string, label: string, origin: CaptionOrigin, isForced: boolean, isSdh: boolean, sizeBytes: number }>, chapters: Array<{ startSeconds: number, title: string, origin: CaptionOrigin | null }> } | null };

export type UploadCaptionsMutationVariables = Exact<{
  videoId: string | number;
  input: UploadCaptionsInput;
}>;


export type UploadCaptionsMutation = { uploadCaptions: { id: string, captions: Array<{ id: string, language: string, label: string, origin: CaptionOrigin, isForced: boolean, isSdh: boolean, sizeBytes: number }> } };

export type UpdateCaptionsMutationVariables = Exact<{
  videoId: string | number;
  captionId: string | number;
  input: UpdateCaptionsInput;
}>;


export type UpdateCaptionsMutation = { updateCaptions: { id: string, captions: Array<{ id: string, language: string, label: string, origin: CaptionOrigin, isForced: boolean, isSdh: boolean, sizeBytes: number }> } };

export type DeleteCaptionsMutationVariables = Exact<{
  videoId: string | number;
  captionId: string | number;
}>;


export type DeleteCaptionsMutation = { deleteCaptions: { id: string, captions: Array<{ id: string, language: string, label: string, origin: CaptionOrigin, isForced: boolean, isSdh: boolean, sizeBytes: number }> } };

export type SetChaptersMutationVariables = Exact<{
  videoId: string | number;
  chapters: Array<ChapterInput> | ChapterInput;
}>;


export type SetChaptersMutation = { setChapters: { id: string, chapters: Array<{ startSeconds: number, title: string, origin: CaptionOrigin | null }> } };

export type CountVideosQueryVariables = Exact<{
  status?: VideoStatus | null | undefined;
  q?: string | null | undefined;
  tag?: string | null | undefined;
  createdFrom?: string | null | undefined;
  createdTo?: string | null | undefined;
  metadata?: MetadataFilterInput | null | undefined;
  upTo: number;
}>;


export type CountVideosQuery = { counted: { totalCount: number | null } };

export type SetPosterMutationVariables = Exact<{
  id: string | number;
  atSeconds?: number | null | undefined;
}>;


export type SetPosterMutation = { setPoster: { id: string, thumbnailUrl: string | null, posterChosen: boolean } };

export type VideoEncodingQueryVariables = Exact<{
  id: string | number;
}>;


export type VideoEncodingQuery = { video: { id: string, cost: string, renditions: Array<{ quality: RenditionQuality, track: number, language: string | null, label: string | null, isDescription: boolean, width: number | null, height: number | null, bitrate: number, codecs: string, sizeBytes: number, receipt: { profile: string, ffmpegVersion: string, bits: number, secondsBilled: number, ssim: number | null, ssimFrames: number, sha256: string | null } | null }> } | null };

export type VideoActivityQueryVariables = Exact<{
  id: string | number;
  first: number;
}>;


export type VideoActivityQuery = { video: { id: string, activity: { edges: Array<{ cursor: string, node: { kind: VideoActivityKind, actor: VideoActor, actorName: string | null, at: string, views: number | null } }>, pageInfo: { hasNextPage: boolean } } } | null };

export type VideoRowFragment = { id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null };

export type ListedVideoFragment = { tags: Array<string>, id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null };

export type VideosQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  status?: VideoStatus | null | undefined;
  q?: string | null | undefined;
  tag?: string | null | undefined;
  createdFrom?: string | null | undefined;
  createdTo?: string | null | undefined;
  metadata?: MetadataFilterInput | null | undefined;
  sort: VideoSort;
  withPlays: boolean;
  withCost: boolean;
}>;


export type VideosQuery = { videos: { totalCount: number | null, edges: Array<{ cursor: string, node: { recentPlays?: number, cost?: string, tags: Array<string>, id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type VideoQueryVariables = Exact<{
  id: string | number;
}>;


export type VideoQuery = { video: { uuid: string, description: string, pictureSubtitles: number, isHdr: boolean, tags: Array<string>, width: number | null, height: number | null, readyAt: string | null, updatedAt: string, id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, metadata: Array<{ key: string, value: string }>, upload: { id: string, url: string, sizeBytes: number, expiresAt: string } | null, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null } | null };

export type VideoPosterQueryVariables = Exact<{
  id: string | number;
}>;


export type VideoPosterQuery = { video: { id: string, thumbnailUrl: string | null, posterChosen: boolean } | null };

export type PriceListQueryVariables = Exact<{ [key: string]: never; }>;


export type PriceListQuery = { priceList: { storageCreditsPerGbMonth: string, freePlaybackTokensPerDay: number, processing: Array<{ quality: Quality, creditsPerMinute: string }>, addons: Array<{ addon: Addon, creditsPerMinute: string }> } };

export type CreateQuoteMutationVariables = Exact<{
  videoId: string | number;
  quality: Quality;
  branding: boolean;
  encryption: boolean;
  normalizeLoudness: boolean;
}>;


export type CreateQuoteMutation = { createQuote: { id: string, videoId: string, quality: Quality, total: string, durationSeconds: number, expiresAt: string, fromMaster: string, missing: string, lines: Array<{ item: QuoteItem, quality: Quality, ratePerMinute: string, amount: string }> } };

export type ProcessVideoMutationVariables = Exact<{
  quoteId: string | number;
}>;


export type ProcessVideoMutation = { processVideo: { id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null } };

export type RetryVideoMutationVariables = Exact<{
  id: string | number;
}>;


export type RetryVideoMutation = { retryVideo: { id: string, title: string, status: VideoStatus, quality: Quality | null, sourceQuality: Quality | null, measured: boolean, autoProcess: boolean, normalizeLoudness: boolean, durationSeconds: number | null, sizeBytes: number | null, thumbnailUrl: string | null, previewUrl: string | null, createdAt: string, playableRungs: Array<RenditionQuality>, addons: { branding: boolean, encryption: boolean }, failure: { code: string, message: string } | null, processing: { attempt: number, state: ProcessingState, step: string | null, percent: number, etaSeconds: number | null, speed: number | null, price: string } | null } };

export type UpdateVideoMutationVariables = Exact<{
  id: string | number;
  input: UpdateVideoInput;
}>;


export type UpdateVideoMutation = { updateVideo: { id: string, title: string, description: string, tags: Array<string>, updatedAt: string, metadata: Array<{ key: string, value: string }> } };

export type DeleteVideoMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteVideoMutation = { deleteVideo: string };

export type CreatePreviewTokenMutationVariables = Exact<{
  videoId: string | number;
}>;


export type CreatePreviewTokenMutation = { createPreviewToken: { token: string, expiresAt: string } };

export type VideoTagsQueryVariables = Exact<{ [key: string]: never; }>;


export type VideoTagsQuery = { videoTags: Array<{ tag: string, videos: number }> };

export type DeleteVideosMutationVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type DeleteVideosMutation = { deleteVideos: Array<string> };

export type ChangeVideoTagsMutationVariables = Exact<{
  ids: Array<string | number> | string | number;
  add: Array<string> | string;
  remove: Array<string> | string;
}>;


export type ChangeVideoTagsMutation = { changeVideoTags: Array<string> };

export type StatementsQueryVariables = Exact<{ [key: string]: never; }>;


export type StatementsQuery = { statements: Array<{ month: string, isToDate: boolean, opening: string, closing: string, csvUrl: string, pdfUrl: string }> };

export type BillingDetailsQueryVariables = Exact<{ [key: string]: never; }>;


export type BillingDetailsQuery = { billingDetails: { legalName: string, addressLines: Array<string>, country: string, stateCode: string | null, gstin: string | null, email: string | null } | null };

export type BillingFieldsFragment = { legalName: string, addressLines: Array<string>, country: string, stateCode: string | null, gstin: string | null, email: string | null };

export type SetBillingDetailsMutationVariables = Exact<{
  details: BillingDetailsInput;
}>;


export type SetBillingDetailsMutation = { setBillingDetails: { legalName: string, addressLines: Array<string>, country: string, stateCode: string | null, gstin: string | null, email: string | null } };

export type LedgerPageQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: LedgerFilterInput | null | undefined;
}>;


export type LedgerPageQuery = { wallet: { entries: { edges: Array<{ cursor: string, node: { id: string, transactionId: string, type: LedgerEntryType, account: LedgerAccount, amount: string, balanceAfter: string, reference: string | null, createdAt: string, cause:
            | { __typename: 'AdjustmentCause', reason: string }
            | { __typename: 'AllocationCause', repaysDebt: boolean, drawnFor: string | null, drawnForDay: string | null, isReversal: boolean, from: LedgerAccount, to: LedgerAccount }
            | { __typename: 'DisputeCause', topUpId: string | null, disputeId: string }
            | { __typename: 'ReferralCause', role: ReferralRole, isClawBack: boolean }
            | { __typename: 'RefundCause', topUpId: string | null, refundId: string }
            | { __typename: 'StorageCause', date: string, isReversal: boolean }
            | { __typename: 'TopUpCause', topUpId: string | null, provider: string, paymentId: string }
            | { __typename: 'VideoCause', videoId: string, title: string | null, attempt: number | null }
           | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } } };

export type LedgerRowFragment = { id: string, transactionId: string, type: LedgerEntryType, account: LedgerAccount, amount: string, balanceAfter: string, reference: string | null, createdAt: string, cause:
    | { __typename: 'AdjustmentCause', reason: string }
    | { __typename: 'AllocationCause', repaysDebt: boolean, drawnFor: string | null, drawnForDay: string | null, isReversal: boolean, from: LedgerAccount, to: LedgerAccount }
    | { __typename: 'DisputeCause', topUpId: string | null, disputeId: string }
    | { __typename: 'ReferralCause', role: ReferralRole, isClawBack: boolean }
    | { __typename: 'RefundCause', topUpId: string | null, refundId: string }
    | { __typename: 'StorageCause', date: string, isReversal: boolean }
    | { __typename: 'TopUpCause', topUpId: string | null, provider: string, paymentId: string }
    | { __typename: 'VideoCause', videoId: string, title: string | null, attempt: number | null }
   | null };

export type TopUpRowFragment = { id: string, provider: PaymentProviderName, sandbox: boolean, status: TopUpStatus, currency: string, amount: string, credits: string, creditsPerUnit: string, rateAsOf: string | null, createdAt: string, expiresAt: string, creditedAt: string | null, webhookMissingSince: string | null, receiptUrl: string | null, refundableAmount: string, checkout: { method: string, url: string, fields: Array<{ name: string, value: string }> } | null, refunds: Array<{ id: string, amount: string, state: TopUpRefundState, createdAt: string }>, disputes: Array<{ id: string, amount: string, state: TopUpDisputeState, createdAt: string }>, creditNotes: Array<{ refundId: string, pdfUrl: string }> };

export type CheckoutWayFragment = { method: string, url: string, fields: Array<{ name: string, value: string }> };

export type TopUpsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type TopUpsQuery = { topUps: { edges: Array<{ cursor: string, node: { id: string, provider: PaymentProviderName, sandbox: boolean, status: TopUpStatus, currency: string, amount: string, credits: string, creditsPerUnit: string, rateAsOf: string | null, createdAt: string, expiresAt: string, creditedAt: string | null, webhookMissingSince: string | null, receiptUrl: string | null, refundableAmount: string, checkout: { method: string, url: string, fields: Array<{ name: string, value: string }> } | null, refunds: Array<{ id: string, amount: string, state: TopUpRefundState, createdAt: string }>, disputes: Array<{ id: string, amount: string, state: TopUpDisputeState, createdAt: string }>, creditNotes: Array<{ refundId: string, pdfUrl: string }> } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type TopUpQueryVariables = Exact<{
  id: string | number;
}>;


export type TopUpQuery = { topUp: { id: string, provider: PaymentProviderName, sandbox: boolean, status: TopUpStatus, currency: string, amount: string, credits: string, creditsPerUnit: string, rateAsOf: string | null, createdAt: string, expiresAt: string, creditedAt: string | null, webhookMissingSince: string | null, receiptUrl: string | null, refundableAmount: string, checkout: { method: string, url: string, fields: Array<{ name: string, value: string }> } | null, refunds: Array<{ id: string, amount: string, state: TopUpRefundState, createdAt: string }>, disputes: Array<{ id: string, amount: string, state: TopUpDisputeState, createdAt: string }>, creditNotes: Array<{ refundId: string, pdfUrl: string }> } };

export type PaymentOffersQueryVariables = Exact<{ [key: string]: never; }>;


export type PaymentOffersQuery = { paymentProviders: Array<{ name: PaymentProviderName, currency: string, sandbox: boolean, minAmount: string, maxAmount: string, creditsPerUnit: string | null, rateAsOf: string | null, quoteMinutes: number | null }>, referrals: { ownBonus: string | null } };

export type CreateTopUpMutationVariables = Exact<{
  provider: PaymentProviderName;
  amount: string;
  idempotencyKey: string;
}>;


export type CreateTopUpMutation = { createTopUp: { id: string, provider: PaymentProviderName, sandbox: boolean, status: TopUpStatus, currency: string, amount: string, credits: string, creditsPerUnit: string, rateAsOf: string | null, createdAt: string, expiresAt: string, creditedAt: string | null, webhookMissingSince: string | null, receiptUrl: string | null, refundableAmount: string, checkout: { method: string, url: string, fields: Array<{ name: string, value: string }> } | null, refunds: Array<{ id: string, amount: string, state: TopUpRefundState, createdAt: string }>, disputes: Array<{ id: string, amount: string, state: TopUpDisputeState, createdAt: string }>, creditNotes: Array<{ refundId: string, pdfUrl: string }> } };

export type RequestRefundMutationVariables = Exact<{
  topUpId: string | number;
  amount: string;
  idempotencyKey: string;
}>;


export type RequestRefundMutation = { requestRefund: { id: string, provider: PaymentProviderName, sandbox: boolean, status: TopUpStatus, currency: string, amount: string, credits: string, creditsPerUnit: string, rateAsOf: string | null, createdAt: string, expiresAt: string, creditedAt: string | null, webhookMissingSince: string | null, receiptUrl: string | null, refundableAmount: string, checkout: { method: string, url: string, fields: Array<{ name: string, value: string }> } | null, refunds: Array<{ id: string, amount: string, state: TopUpRefundState, createdAt: string }>, disputes: Array<{ id: string, amount: string, state: TopUpDisputeState, createdAt: string }>, creditNotes: Array<{ refundId: string, pdfUrl: string }> } };

export type WalletBalancesFragment = { master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket> };

export type WalletQueryVariables = Exact<{ [key: string]: never; }>;


export type WalletQuery = { wallet: { master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket> } };

export type WalletUseQueryVariables = Exact<{ [key: string]: never; }>;


export type WalletUseQuery = { wallet: { lowBalanceWarning: string | null, master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket> }, storage: { bytes: number, creditsPerDay: string, runwayDays: number | null, autoAllocate: boolean } };

export type StorageFactsFragment = { bytes: number, creditsPerDay: string, runwayDays: number | null, autoAllocate: boolean };

export type StorageHistoryQueryVariables = Exact<{
  from: string;
  to: string;
}>;


export type StorageHistoryQuery = { storage: { history: Array<{ day: string, bytes: number, charged: string, fromCloud: string, fromMaster: string, arrears: string }> } };

export type SpendingQueryVariables = Exact<{
  from: string;
  to: string;
  by: SpendingUnit;
}>;


export type SpendingQuery = { spending: Array<{ start: string, processing: string, storage: string }> };

export type AllocateCreditsMutationVariables = Exact<{
  from: Bucket;
  to: Bucket;
  amount: string;
  idempotencyKey: string;
}>;


export type AllocateCreditsMutation = { allocateCredits: { master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket> } };

export type RepayDebtMutationVariables = Exact<{
  amount: string;
  idempotencyKey: string;
}>;


export type RepayDebtMutation = { repayDebt: { master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket> } };

export type SetAutomaticAllocationMutationVariables = Exact<{
  bucket: Bucket;
  enabled: boolean;
}>;


export type SetAutomaticAllocationMutation = { setAutomaticAllocation: { master: string, cloud: string, ai: string, creative: string, escrow: string, refundHold: string, disputeHold: string, debt: string, automaticAllocation: Array<Bucket> } };

export type SetLowBalanceWarningMutationVariables = Exact<{
  credits?: string | null | undefined;
}>;


export type SetLowBalanceWarningMutation = { setLowBalanceWarning: { lowBalanceWarning: string | null } };

export type WebhookEndpointFieldsFragment = { id: string, url: string, description: string, eventTypes: Array<EventType> | null, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, createdAt: string, previousSecretEndsAt: string | null };

export type WebhookDeliveryFieldsFragment = { id: string, eventId: string, eventType: string, state: WebhookDeliveryState, attempts: number, createdAt: string, nextAttemptAt: string | null, lastStatus: number | null, lastError: string | null };

export type WebhookEndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhookEndpointsQuery = { webhookEndpoints: Array<{ id: string, url: string, description: string, eventTypes: Array<EventType> | null, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, createdAt: string, previousSecretEndsAt: string | null }> };

export type WebhookDeliveriesQueryVariables = Exact<{
  endpointId: string | number;
  first: number;
  after?: string | null | undefined;
  state?: WebhookDeliveryState | null | undefined;
}>;


export type WebhookDeliveriesQuery = { webhookDeliveries: { edges: Array<{ node: { id: string, eventId: string, eventType: string, state: WebhookDeliveryState, attempts: number, createdAt: string, nextAttemptAt: string | null, lastStatus: number | null, lastError: string | null } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type WebhookAttemptsQueryVariables = Exact<{
  endpointId: string | number;
  deliveryId: string | number;
  first: number;
}>;


export type WebhookAttemptsQuery = { webhookAttempts: { edges: Array<{ node: { id: string, createdAt: string, url: string, status: number | null, error: string | null, durationMs: number, responseBody: string } }> } };

export type CreateWebhookEndpointMutationVariables = Exact<{
  url: string;
  description: string;
  eventTypes?: Array<EventType> | EventType | null | undefined;
  testFault?: TestWebhookFault | null | undefined;
}>;


export type CreateWebhookEndpointMutation = { createWebhookEndpoint: { secret: string, endpoint: { id: string, url: string, description: string, eventTypes: Array<EventType> | null, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, createdAt: string, previousSecretEndsAt: string | null } } };

export type UpdateWebhookEndpointMutationVariables = Exact<{
  id: string | number;
  input: UpdateWebhookEndpointInput;
}>;


export type UpdateWebhookEndpointMutation = { updateWebhookEndpoint: { id: string, url: string, description: string, eventTypes: Array<EventType> | null, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, createdAt: string, previousSecretEndsAt: string | null } };

export type SetWebhookEndpointEnabledMutationVariables = Exact<{
  id: string | number;
  enabled: boolean;
}>;


export type SetWebhookEndpointEnabledMutation = { setWebhookEndpointEnabled: { id: string, url: string, description: string, eventTypes: Array<EventType> | null, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, createdAt: string, previousSecretEndsAt: string | null } };

export type DeleteWebhookEndpointMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteWebhookEndpointMutation = { deleteWebhookEndpoint: string };

export type RotateWebhookSecretMutationVariables = Exact<{
  id: string | number;
}>;


export type RotateWebhookSecretMutation = { rotateWebhookSecret: { secret: string, endpoint: { id: string, url: string, description: string, eventTypes: Array<EventType> | null, disabledReason: WebhookDisabledReason | null, disabledAt: string | null, failingSince: string | null, createdAt: string, previousSecretEndsAt: string | null } } };

export type TestWebhookEndpointMutationVariables = Exact<{
  id: string | number;
}>;


export type TestWebhookEndpointMutation = { testWebhookEndpoint: { id: string, eventId: string, eventType: string, state: WebhookDeliveryState, attempts: number, createdAt: string, nextAttemptAt: string | null, lastStatus: number | null, lastError: string | null } };

export type ReplayWebhookDeliveryMutationVariables = Exact<{
  endpointId: string | number;
  deliveryId: string | number;
}>;


export type ReplayWebhookDeliveryMutation = { replayWebhookDelivery: { id: string, eventId: string, eventType: string, state: WebhookDeliveryState, attempts: number, createdAt: string, nextAttemptAt: string | null, lastStatus: number | null, lastError: string | null } };

export type ReplayWebhookDeliveriesMutationVariables = Exact<{
  endpointId: string | number;
  since: string;
  until: string;
  includeDelivered: boolean;
}>;


export type ReplayWebhookDeliveriesMutation = { replayWebhookDeliveries: number };
