const YEAR_SECONDS = 365 * 24 * 3600;
/**
 * Caches that many share, such as a CDN's, are to be rid of a deleted video within a day: what they fetched in the minutes
 * before its bytes left the store included. What a viewer's own browser keeps is the viewer's.
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
} as const;

/**
 * By turns a name and its value. Other people's pages play this, so they may read it; and no page tells the next one where
 * the video lies.
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

/** @param rendition `audio`, `720p`, … @param remainingSeconds of the grant */
export function segmentHeaders(
  rendition: string,
  remainingSeconds: number,
): { contentType: string; cacheControl: string } {
  return {
    contentType: rendition.startsWith('audio') ? 'audio/mp4' : 'video/mp4',
    cacheControl: cacheUntil(remainingSeconds),
  };
}

/** Where nginx finds the disk store's objects by their keys, for nobody but us. */
const ACCEL_PREFIX = '/_dhara/objects/';

/** Tells nginx in front to send an object of the disk store in our place. By turns a name and its value. */
export function accelHeaders(key: string): readonly [string, string] {
  return ['X-Accel-Redirect', ACCEL_PREFIX + key];
}

/** Segments never change; but a cache on the way must not serve them for longer than their grant would. */
export function cacheUntil(remainingSeconds: number): string {
  return cacheFor(Math.min(YEAR_SECONDS, Math.max(0, Math.floor(remainingSeconds))));
}

function cacheFor(seconds: number): string {
  return `public, max-age=${seconds}, s-maxage=${Math.min(seconds, SHARED_SECONDS)}, immutable`;
}
