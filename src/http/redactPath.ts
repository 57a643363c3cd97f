/** Grants, playback tokens and mailed links stand in paths; a log that keeps them is a bunch of keys. */
const SECRET_SEGMENTS: readonly [RegExp, string][] = [
  [/^\/media\/(?!posters\/)[^/]+/, '/media/[grant]'],
  [/^\/v1\/video\/playback\/manifest\/.+/, '/v1/video/playback/manifest/[token]'],
  [/^\/api\/auth\/reset-password\/[^/]+/, '/api/auth/reset-password/[token]'],
];

const MAX_LENGTH = 512;

/** The path of a request without its query and without what opens a door. */
export function redactPath(originalUrl: string): string {
  const end = originalUrl.indexOf('?');
  const path = end === -1 ? originalUrl : originalUrl.slice(0, end);
  for (const [pattern, replacement] of SECRET_SEGMENTS) {
    // Case and doubled slashes must not get a secret past the pattern.
    if (pattern.test(path.replaceAll(/\/{2,}/g, '/').toLowerCase())) {
      return path.replaceAll(/\/{2,}/g, '/').replace(new RegExp(pattern, 'i'), replacement);
    }
  }
  return path.slice(0, MAX_LENGTH);
}
