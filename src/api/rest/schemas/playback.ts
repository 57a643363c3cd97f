import { z } from 'zod';

import { instant } from './envelope.js';
import { caption, videoId } from './video.js';

export const playbackToken = z.strictObject({
  token: z.string().describe('A JWT (EdDSA); verify it with `/.well-known/jwks.json`'),
  videoId,
  expiresAt: instant(),
  expiresIn: z.literal(300).describe('Seconds'),
  manifestUrl: z.url().describe('Where a player exchanges the token'),
});

export type PlaybackTokenBody = z.infer<typeof playbackToken>;

export const manifestCaption = caption.extend({ url: z.url().describe('WebVTT') });

export const manifest = z.strictObject({
  url: z.url().describe('The HLS stream. Good for the whole view, for this video only'),
  type: z.literal('application/vnd.apple.mpegurl'),
  videoId,
  title: z.string(),
  durationSeconds: z.number().min(0),
  posterUrl: z.url().nullable(),
  storyboardUrl: z.url().nullable().describe('WebVTT with thumbnails along the timeline'),
  chaptersUrl: z.url().nullable().describe('WebVTT whose cues are the chapters'),
  captions: z.array(manifestCaption).describe('Also in the stream itself'),
  expiresAt: instant().describe('When `url` ends'),
});

export type ManifestBody = z.infer<typeof manifest>;
