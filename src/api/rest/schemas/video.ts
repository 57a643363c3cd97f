import { z } from 'zod';

import { instant } from './envelope.js';

const BASE58 = '[1-9A-HJ-NP-Za-km-z]{1,22}';

export const QUALITIES = ['audio', '480p', '720p', '1080p', '1440p', '2160p'] as const;
/** `360p` and `432p` come with every picture. They cannot be bought. */
export const RENDITION_QUALITIES = ['audio', '360p', '432p', '480p', '720p', '1080p', '1440p', '2160p'] as const;
export const STATUSES = [
  'awaiting_upload',
  'uploading',
  'uploaded',
  'queued',
  'processing',
  'ready',
  'failed',
] as const;

export const videoId = z
  .string()
  .regex(new RegExp(`^vid_${BASE58}$`))
  .describe('`vid_` and the UUID in base58');

const quality = z.enum(QUALITIES);
const renditionQuality = z.enum(RENDITION_QUALITIES);
const sizeBytes = z.int().min(0);
const pixels = z.int().min(1).nullable();

/** A video as lists show it. */
export const video = z.strictObject({
  id: videoId,
  uuid: z.uuid().describe('The same identifier as a UUID; either form is accepted everywhere'),
  title: z.string(),
  description: z.string(),
  status: z.enum(STATUSES),
  quality: quality.nullable().describe('The top quality, as bought'),
  addons: z.strictObject({ branding: z.boolean(), encryption: z.boolean() }),
  durationSeconds: z.number().min(0).nullable(),
  width: pixels.describe('Of the source as it is shown, in pixels'),
  height: pixels.describe('Of the source as it is shown, in pixels'),
  sizeBytes: sizeBytes.nullable().describe('Of the uploaded file'),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
  thumbnailUrl: z.url().nullable(),
  createdAt: instant(),
  updatedAt: instant(),
  readyAt: instant().nullable(),
});

export type Video = z.infer<typeof video>;

export const rendition = z.strictObject({
  quality: renditionQuality.describe('`360p` and `432p` come with every picture, free of charge'),
  width: pixels,
  height: pixels,
  bitrate: z.int().min(0).describe('Peak bits per second'),
  codecs: z.string().describe('RFC 6381'),
  sizeBytes,
});

export type Rendition = z.infer<typeof rendition>;

const sound = z.strictObject({
  bitrate: z.int().min(0).describe('Peak bits per second'),
  codecs: z.string().describe('RFC 6381'),
  sizeBytes,
});

/** One sound track, such as a language or a commentary. */
export const audioTrack = sound.extend({
  language: z.string().describe('BCP 47; `und` where it is not known'),
  label: z.string().describe('Unique among the tracks of a video'),
  isDefault: z.boolean().describe('The default track'),
  isDescription: z.boolean().describe('Audio description'),
});

export const audio = sound.extend({
  tracks: z.array(audioTrack).describe('All of them, the default first'),
});

export const caption = z.strictObject({
  language: z.string().describe('BCP 47; `und` where it is not known'),
  label: z.string().describe('Unique among the captions of a video'),
});

/** A single video: the metadata, and what can be played already. */
export const videoDetail = video.extend({
  playableRungs: z
    .array(renditionQuality)
    .describe(
      'Playable qualities, best first. A long video plays before all of them are made, and gains renditions until it is `ready`',
    ),
  renditions: z.array(rendition).describe('Pictures that play already, smallest first'),
  audio: audio
    .nullable()
    .describe('The sound that plays with all of them: its default track, and all tracks to choose from'),
  captions: z.array(caption),
  failure: z
    .strictObject({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why it failed; for a `ready` video, why bought qualities are missing'),
});

export type VideoDetail = z.infer<typeof videoDetail>;
