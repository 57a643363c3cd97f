/** Grants, playback tokens and mailed links stand in paths; a log that keeps them is a bunch of keys. */
const SECRET_SEGMENTS: readonly [RegExp, string][] = [
  [/^\/media\/(?!posters\/)[^/]+/i, '/media/[grant]'],
  [/^\/v1\/video\/playback\/manifest\/.+/i, '/v1/video/playback/manifest/[token]'],
  [/^\/api\/auth\/reset-password\/[^/]+/i, '/api/auth/reset-password/[token]'],
];

const MAX_LENGTH = 512;

/** The path of a request without its query and without what opens a door. */
export function redactPath(originalUrl: string): string {
  const end = originalUrl.indexOf('?');
  const given = end === -1 ? originalUrl : originalUrl.slice(0, end);
  // Doubled slashes must not get a secret past the patterns.
  const path = given.includes('//') ? given.replaceAll(/\/{2,}/g, '/') : given;
  for (const [pattern, replacement] of SECRET_SEGMENTS) {
    if (pattern.test(path)) return path.replace(pattern, replacement).slice(0, MAX_LENGTH);
  }
  return path.slice(0, MAX_LENGTH);
}
