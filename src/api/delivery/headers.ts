import type { Representation } from './sendObject.js';

const YEAR_SECONDS = 365 * 24 * 3600;
/**
 * Shared caches, such as a CDN's, must drop a deleted video within a day, including what they fetched just before its
 * bytes left the store. A viewer's own browser may keep segments for longer.
 */
const SHARED_SECONDS = 12 * 3600;

export const PLAYLIST = {
  contentType: 'application/vnd.apple.mpegurl',
  cacheControl: 'no-cache',
  isText: true,
} as const;
export const WEBVTT = { contentType: 'text/vtt; charset=utf-8', cacheControl: 'no-cache', isText: true } as const;
export const POSTER = { contentType: 'image/jpeg', cacheControl: cacheFor(YEAR_SECONDS) } as const;
export const PREVIEW = { contentType: 'image/webp', cacheControl: cacheFor(YEAR_SECONDS) } as const;

/** Below `/media`. */
export const MEDIA_ROUTES = {
  master: '/:grant/:video/master.m3u8',
  playlist: '/:grant/:video/:run/:rendition/:playlist.m3u8',
  segment: '/:grant/:video/:run/:rendition/:file',
  report: '/:grant/:video/report',
} as const;

/**
 * Alternates names and values. Pages on any site play videos, so they may read the responses. No page reveals a video's
 * address to the next one.
 */
export const COMMON_HEADERS = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Accept-Ranges, Content-Length, Content-Range, ETag, X-Request-Id',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Referrer-Policy',
  'no-referrer',
  'X-Content-Type-Options',
  'nosniff',
] as const;

/** @param rendition such as `audio` or `720p`. @param remainingSeconds until the grant expires */
export function segmentHeaders(
  rendition: string,
  remainingSeconds: number,
): { contentType: string; cacheControl: string } {
  return {
    contentType: rendition.startsWith('audio') ? 'audio/mp4' : 'video/mp4',
    cacheControl: cacheUntil(remainingSeconds),
  };
}

/** Of a file beside the storyboard's index. @param remainingSeconds until the grant expires */
export function storyboardHeaders(file: string, remainingSeconds: number): Representation {
  if (file === 'index.vtt') return WEBVTT;
  if (file.endsWith('.m3u8')) return PLAYLIST;
  const contentType = file.endsWith('.mp4') ? 'video/mp4' : POSTER.contentType;
  return { contentType, cacheControl: cacheUntil(remainingSeconds) };
}

/** The internal location where nginx finds the disk store's objects by their keys. Clients cannot request it. */
const ACCEL_PREFIX = '/_dhara/objects/';

/** Tells nginx in front to send an object of the disk store. Alternates names and values. */
export function accelHeaders(key: string): readonly [string, string] {
  return ['X-Accel-Redirect', ACCEL_PREFIX + key];
}

/** Segments never change, but a cache must not serve them for longer than their grant is valid. */
function cacheUntil(remainingSeconds: number): string {
  return cacheFor(Math.min(YEAR_SECONDS, Math.max(0, Math.floor(remainingSeconds))));
}

function cacheFor(seconds: number): string {
  return `public, max-age=${seconds}, s-maxage=${Math.min(seconds, SHARED_SECONDS)}, immutable`;
}
