/** Paths contain grants, playback tokens and emailed links, which must not be logged. */
const SECRET_SEGMENTS: readonly [RegExp, string][] = [
  [/^\/media\/(?!posters\/)[^/]+/i, '/media/[grant]'],
  [/^\/v1\/video\/playback\/manifest\/.+/i, '/v1/video/playback/manifest/[token]'],
  [/^\/sandbox\/pay\/[^/]+/i, '/sandbox/pay/[order]'],
  [/^\/api\/auth\/reset-password\/[^/]+/i, '/api/auth/reset-password/[token]'],
];
/** Secrets in other places: JWTs, API keys, and strings as long as a grant. */
const SECRETS = /eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|dk_(?:live|test)_\w+|[\w-]{84,}/g;
/** No secret is shorter than this, and no busy path is longer. */
const MIN_SECRET_LENGTH = 57;

const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/\\]*/i;
const MAX_LENGTH = 512;
/** Long paths are not searched to their end, because they may be crafted to be slow. */
const MAX_SEARCHED = 1024;

/** The path of a request without its query and without secrets. */
export function redactPath(originalUrl: string): string {
  const path = plainPath(originalUrl);
  for (const [pattern, replacement] of SECRET_SEGMENTS) {
    if (pattern.test(path)) return shortened(path.replace(pattern, replacement));
  }
  return shortened(path);
}

/**
 * The path as the router reads it: without scheme and host, with single slashes instead of backslashes and double
 * slashes.
 */
function plainPath(originalUrl: string): string {
  const end = originalUrl.indexOf('?');
  const given = end === -1 ? originalUrl : originalUrl.slice(0, end);
  const path = given.startsWith('/') ? given : given.replace(SCHEME_AND_HOST, '');
  return path.includes('//') || path.includes('\\') ? path.replaceAll(/[/\\]+/g, '/') : path;
}

function shortened(path: string): string {
  if (path.length < MIN_SECRET_LENGTH) return path;
  return path.slice(0, MAX_SEARCHED).replaceAll(SECRETS, '[secret]').slice(0, MAX_LENGTH);
}
