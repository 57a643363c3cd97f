import { z } from 'zod';

import type { UnusableSourceCode } from '../../../ports/transcoderErrors.js';
import { videoIdOf } from '../ids.js';

const EXAMPLE_UUID = '0193a1c2-7d4e-7f60-8a9b-1c2d3e4f5a6b';
const uuid = z.uuid().meta({ examples: [EXAMPLE_UUID] });
const credits = z
  .string()
  .regex(/^-?\d+(\.\d{1,6})?$/)
  .meta({ description: 'Credits, as a decimal string.', examples: ['499.5'] });
const day = z.iso.date().meta({ description: 'A UTC day.', examples: ['2026-11-24'] });
const provider = z.string().meta({ description: 'The payment provider.', examples: ['razorpay'] });
const storedBytes = z
  .string()
  .regex(/^\d+$/)
  .meta({ description: 'Bytes of stored videos, as a decimal string.', examples: ['52428800'] });
export const EXAMPLE_FAILURE: { readonly code: UnusableSourceCode; readonly message: string } = {
  code: 'UNREADABLE',
  message: 'The file looks like a video or audio file, but its content could not be read.',
};
const failure = z.strictObject({
  code: z.string().meta({ examples: [EXAMPLE_FAILURE.code] }),
  message: z.string().meta({ examples: [EXAMPLE_FAILURE.message] }),
});

const videoData = z.strictObject({
  videoId: z
    .string()
    .regex(/^vid_/)
    .meta({ examples: [videoIdOf(EXAMPLE_UUID)] }),
  uuid: uuid.meta({ description: 'The same video, as a UUID.', examples: [EXAMPLE_UUID] }),
  title: z.string().meta({ examples: ['Intro to sailing'] }),
  status: z.enum(['awaiting_upload', 'uploading', 'uploaded', 'queued', 'processing', 'ready', 'failed']),
  metadata: z.record(z.string(), z.string()).meta({
    description: 'The fields that the owner added to the video.',
    examples: [{ lesson: '12' }],
  }),
  durationSeconds: z
    .number()
    .nullable()
    .meta({ description: '`null` until the file is measured.', examples: [61.5] }),
  playableRungs: z.array(z.enum(['audio', '360p', '432p', '480p', '720p', '1080p', '1440p', '2160p'])).meta({
    description: 'The qualities that play, the best first.',
    examples: [['720p', '480p', '432p', '360p', 'audio']],
  }),
  failure: failure
    .nullable()
    .meta({ description: 'Why the video failed, or has fewer renditions than were bought.', examples: [null] }),
});
const referralData = z.strictObject({
  side: z.enum(['invitee', 'referrer']).meta({ description: 'Whether this account was invited, or invited another.' }),
  amount: credits,
});
const quota = z
  .int()
  .min(0)
  .meta({ description: 'Playback tokens per UTC day.', examples: [1000] });
const keyName = z.string().meta({ examples: ['Production'] });
const keyData = z.strictObject({
  keyId: uuid,
  name: keyName,
  prefix: z.string().meta({ description: 'The first 12 characters of the key.', examples: ['dk_live_4f7a'] }),
  last4: z.string().meta({ description: 'The last 4 characters of the key.', examples: ['9c1e'] }),
});
const usedQuotaData = (used: number) =>
  z.strictObject({
    keyId: uuid,
    name: keyName,
    day,
    dailyQuota: quota,
    used: z
      .int()
      .min(0)
      .meta({ description: 'Playback tokens created on this day, until now.', examples: [used] }),
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
    description:
      'A video was deleted: the API no longer knows it. It may still be in the bin, and `video.restored` follows if its owner restores it.',
    data: videoData,
  },
  'video.restored': {
    version: 1,
    description: 'A video was restored from the bin. The API knows it again, as `status` and `playableRungs` say.',
    data: videoData,
  },
  'wallet.low': {
    version: 1,
    description: 'The balance is below the alert threshold of the wallet. Once for each fall.',
    data: z.strictObject({ balance: credits, threshold: credits }),
  },
  'wallet.runway_short': {
    version: 1,
    description: 'The credits for storage last for less than a week. At most once a week.',
    data: z.strictObject({
      day,
      storedBytes,
      daysLeft: z
        .int()
        .min(0)
        .meta({ examples: [5] }),
    }),
  },
  'topup.credited': {
    version: 1,
    description: 'A top-up was paid, and its credits are in the wallet.',
    data: z.strictObject({ topUpId: uuid, provider, amount: credits }),
  },
  'refund.booked': {
    version: 1,
    description: 'A refund of a top-up was taken from the wallet.',
    data: z.strictObject({
      topUpId: uuid,
      provider,
      refundId: z.string().meta({ examples: ['rfnd_NWHvD1nGq7yRtB'] }),
      amount: credits,
    }),
  },
  'dispute.opened': {
    version: 1,
    description: 'A payer disputes a top-up at the provider.',
    data: z.strictObject({
      topUpId: uuid,
      provider,
      disputeId: z.string().meta({ examples: ['disp_NWHvD1nGq7yRtB'] }),
      amount: credits,
    }),
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
    description: 'The wallet could not pay for the storage of a day. The unpaid amount became debt.',
    data: z.strictObject({ day, storedBytes, amount: credits }),
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
  'quota.warning': {
    version: 1,
    description: 'A key has used 80% of its daily quota. Once a day, and again if support changes the quota.',
    data: usedQuotaData(800),
  },
  'quota.reached': {
    version: 1,
    description:
      'A key has used up its daily quota, and creates no tokens until midnight UTC. Once a day, and again if support changes the quota.',
    data: usedQuotaData(1000),
  },
  'quota.changed': {
    version: 1,
    description: 'Support changed the daily quota of a key.',
    data: z.strictObject({
      keyId: uuid,
      name: keyName,
      previousQuota: z
        .int()
        .min(0)
        .meta({ examples: [1000] }),
      dailyQuota: z
        .int()
        .min(0)
        .meta({ examples: [5000] }),
    }),
  },
} as const;

export type EventType = keyof typeof EVENT_TYPES;
export type EventData<Type extends EventType> = z.infer<(typeof EVENT_TYPES)[Type]['data']>;

export const ALL_EVENT_TYPES = Object.keys(EVENT_TYPES) as EventType[];

/** Ids of events, as owners see them: `evt_` and the UUID without hyphens. */
export const EVENT_ID = /^evt_[0-9a-f]{32}$/;

/** `video.ready` is `VIDEO_READY` in GraphQL. */
export function graphqlNameOf(type: EventType): string {
  return type.replaceAll('.', '_').toUpperCase();
}
