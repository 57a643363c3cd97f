import { registerEnumType } from 'type-graphql';

/** GraphQL names cannot start with a digit, so `480p` is `P480` externally and the domain's word internally. */
export const Quality = {
  AUDIO: 'audio',
  P480: '480p',
  P720: '720p',
  P1080: '1080p',
  P1440: '1440p',
  P2160: '2160p',
} as const;
export type Quality = (typeof Quality)[keyof typeof Quality];
registerEnumType(Quality, {
  name: 'Quality',
  description: 'The top rendition to produce. Lower ones are included.',
});

/** What can be bought, and the light ones, which cannot. */
export const RenditionQuality = { ...Quality, P360: '360p', P432: '432p' } as const;
export type RenditionQuality = (typeof RenditionQuality)[keyof typeof RenditionQuality];
registerEnumType(RenditionQuality, {
  name: 'RenditionQuality',
  description: 'What a rendition is. P360 and P432 come with every picture, free of charge.',
});

export const Mode = { LIVE: 'live', TEST: 'test' } as const;
export type Mode = (typeof Mode)[keyof typeof Mode];
registerEnumType(Mode, {
  name: 'Mode',
  description: 'Test mode has its own videos, keys, events and webhook endpoints, and no credits.',
});

export const VideoStatus = {
  AWAITING_UPLOAD: 'awaiting_upload',
  UPLOADING: 'uploading',
  UPLOADED: 'uploaded',
  QUEUED: 'queued',
  PROCESSING: 'processing',
  READY: 'ready',
  FAILED: 'failed',
} as const;
export type VideoStatus = (typeof VideoStatus)[keyof typeof VideoStatus];
registerEnumType(VideoStatus, { name: 'VideoStatus' });

export const VideoSort = {
  NEWEST: '-createdAt',
  OLDEST: 'createdAt',
  TITLE: 'title',
  TITLE_DESC: '-title',
  SHORTEST: 'length',
  LONGEST: '-length',
  LEAST_PLAYED: 'plays',
  MOST_PLAYED: '-plays',
  LOWEST_COST: 'cost',
  HIGHEST_COST: '-cost',
} as const;
export type VideoSort = (typeof VideoSort)[keyof typeof VideoSort];
registerEnumType(VideoSort, {
  name: 'VideoSort',
  valuesConfig: {
    LEAST_PLAYED: { description: 'By plays in the last 30 days, today included (UTC).' },
    MOST_PLAYED: { description: 'By plays in the last 30 days, today included (UTC).' },
    LOWEST_COST: { description: 'By the total cost of processing so far.' },
    HIGHEST_COST: { description: 'By the total cost of processing so far.' },
  },
});

export const ProcessingState = {
  QUEUED: 'queued',
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const;
export type ProcessingState = (typeof ProcessingState)[keyof typeof ProcessingState];
registerEnumType(ProcessingState, { name: 'ProcessingState' });

export const CancellationResult = {
  CANCELLED: 'cancelled',
  BEGUN: 'begun',
  LIMIT_REACHED: 'limit',
  OVER: 'over',
} as const;
export type CancellationResult = (typeof CancellationResult)[keyof typeof CancellationResult];
registerEnumType(CancellationResult, {
  name: 'CancellationResult',
  valuesConfig: {
    BEGUN: { description: 'A worker has begun: processing continues.' },
    LIMIT_REACHED: {
      description: 'Too many videos of the account wait for their files or for processing: processing continues.',
    },
    OVER: { description: 'The video is not being processed.' },
  },
});

export const Addon = { BRANDING: 'branding', ENCRYPTION: 'encryption' } as const;
export type Addon = (typeof Addon)[keyof typeof Addon];
registerEnumType(Addon, { name: 'Addon' });

export const QuoteItem = { PROCESSING: 'processing', BRANDING: 'branding', ENCRYPTION: 'encryption' } as const;
export type QuoteItem = (typeof QuoteItem)[keyof typeof QuoteItem];
registerEnumType(QuoteItem, { name: 'QuoteItem' });

export const Bucket = { MASTER: 'MASTER', CLOUD: 'CLOUD', AI: 'AI', CREATIVE: 'CREATIVE' } as const;
export type Bucket = (typeof Bucket)[keyof typeof Bucket];
registerEnumType(Bucket, { name: 'Bucket', description: 'The balances between which an owner can move credits.' });

export const LedgerAccount = {
  ...Bucket,
  ESCROW: 'ESCROW',
  REFUND_HOLD: 'REFUND_HOLD',
  DISPUTE_HOLD: 'DISPUTE_HOLD',
  DEBT: 'DEBT',
} as const;
export type LedgerAccount = (typeof LedgerAccount)[keyof typeof LedgerAccount];
registerEnumType(LedgerAccount, {
  name: 'LedgerAccount',
  description: 'The accounts of a wallet: the buckets, and what is held or owed.',
});

export const LedgerEntryType = {
  TOPUP: 'TOPUP',
  ALLOCATION: 'ALLOCATION',
  ESCROW_LOCK: 'ESCROW_LOCK',
  ESCROW_SETTLE: 'ESCROW_SETTLE',
  ESCROW_RELEASE: 'ESCROW_RELEASE',
  STORAGE: 'STORAGE',
  REFERRAL_BONUS: 'REFERRAL_BONUS',
  REFUND: 'REFUND',
  DISPUTE: 'DISPUTE',
  ADJUSTMENT: 'ADJUSTMENT',
} as const;
export type LedgerEntryType = (typeof LedgerEntryType)[keyof typeof LedgerEntryType];
registerEnumType(LedgerEntryType, { name: 'LedgerEntryType' });

export const Role = { OWNER: 'owner', SUPPORT: 'support' } as const;
export type Role = (typeof Role)[keyof typeof Role];
registerEnumType(Role, { name: 'Role' });
