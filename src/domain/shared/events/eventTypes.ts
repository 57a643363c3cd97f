import { z } from 'zod';

const uuid = z.uuid();
const credits = z
  .string()
  .regex(/^-?\d+(\.\d{1,6})?$/)
  .meta({ description: 'Credits, as a decimal string.' });
const day = z.iso.date().meta({ description: 'A UTC day, such as "2026-11-24".' });
const provider = z.string().meta({ description: 'The payment provider, such as "razorpay" or "stripe".' });
const failure = z.strictObject({ code: z.string(), message: z.string() }).nullable();

const videoData = z.strictObject({
  videoId: z.string().regex(/^vid_/),
  uuid: uuid.meta({ description: 'The same video, as a UUID.' }),
  title: z.string(),
  status: z.enum(['awaiting_upload', 'uploading', 'uploaded', 'queued', 'processing', 'ready', 'failed']),
  metadata: z.record(z.string(), z.string()),
  durationSeconds: z.number().nullable(),
  playableRungs: z.array(z.enum(['audio', '360p', '432p', '480p', '720p', '1080p', '1440p', '2160p'])),
  failure: failure.meta({ description: 'Why the video failed, or has fewer renditions than were bought.' }),
});
const referralData = z.strictObject({
  side: z.enum(['invitee', 'referrer']).meta({ description: 'Whether this account was invited, or invited another.' }),
  amount: credits,
});
const keyData = z.strictObject({
  keyId: uuid,
  name: z.string(),
  prefix: z.string().meta({ description: 'The first 12 characters of the key.' }),
  last4: z.string(),
});

/**
 * Every kind of event: when it is written, the version of its data, and their shape. The data are public, so no
 * secrets.
 */
export const EVENT_TYPES = {
  'video.uploaded': {
    version: 1,
    description: 'The last byte of a source has arrived.',
    data: videoData,
  },
  'video.playable': {
    version: 1,
    description: 'The first renditions of a video play. Others may still be encoded.',
    data: videoData,
  },
  'video.ready': {
    version: 1,
    description: 'Processing has ended, and the video plays.',
    data: videoData,
  },
  'video.failed': {
    version: 1,
    description: 'The file could not be used, or processing failed. Nothing was charged.',
    data: videoData,
  },
  'video.deleted': {
    version: 1,
    description: 'A video was deleted.',
    data: videoData,
  },
  'wallet.low': {
    version: 1,
    description: 'The balance fell below the alert threshold of the wallet.',
    data: z.strictObject({ balance: credits, threshold: credits }),
  },
  'wallet.runway_short': {
    version: 1,
    description: 'The credits for storage last for less than a week. At most once a week.',
    data: z.strictObject({ day, storedBytes: z.string().regex(/^\d+$/), daysLeft: z.int().min(0) }),
  },
  'topup.credited': {
    version: 1,
    description: 'A top-up was paid, and its credits are in the wallet.',
    data: z.strictObject({ topUpId: uuid, provider, amount: credits }),
  },
  'refund.booked': {
    version: 1,
    description: 'A refund of a top-up was taken from the wallet.',
    data: z.strictObject({ topUpId: uuid, provider, refundId: z.string(), amount: credits }),
  },
  'dispute.opened': {
    version: 1,
    description: 'A payer disputes a top-up at the provider.',
    data: z.strictObject({ topUpId: uuid, provider, disputeId: z.string(), amount: credits }),
  },
  'referral.rewarded': {
    version: 1,
    description: 'A referral bonus was booked.',
    data: referralData,
  },
  'referral.reversed': {
    version: 1,
    description: 'A referral bonus was clawed back.',
    data: referralData,
  },
  'storage.arrears': {
    version: 1,
    description: 'The wallet could not pay for the storage of a day. What is missing became debt.',
    data: z.strictObject({ day, storedBytes: z.string().regex(/^\d+$/), amount: credits }),
  },
  'key.created': {
    version: 1,
    description: 'An API key was created.',
    data: keyData,
  },
  'key.revoked': {
    version: 1,
    description: 'An API key was revoked.',
    data: keyData,
  },
  'quota.changed': {
    version: 1,
    description: 'Support changed the daily quota of a key.',
    data: z.strictObject({ keyId: uuid, name: z.string(), previousQuota: z.int().min(0), dailyQuota: z.int().min(0) }),
  },
} as const;

export type EventType = keyof typeof EVENT_TYPES;
export type EventData<Type extends EventType> = z.infer<(typeof EVENT_TYPES)[Type]['data']>;

export const ALL_EVENT_TYPES = Object.keys(EVENT_TYPES) as EventType[];

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(EVENT_TYPES, text);
}
