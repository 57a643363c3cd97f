/**
 * Segments from the edge: `https://{cdn}/{grant}/{video}/{run}/{rendition}/{segment}`.
 *
 * A module for Cloudflare Workers, and for any other runtime with `fetch` and WebCrypto. It imports nothing, so that it
 * can be deployed as one file. It checks the same grant as the service does, without asking it, and reads the private
 * bucket with its own key. What is cached is cached by the object, so that all viewers of a video share it.
 */

export interface EdgeSettings {
  /** What `dhara store edge` prints: keys with commas between them. A secret. */
  readonly GRANT_KEY: string;
  /** Printed there, too: the bucket with its prefix, and a slash at the end. */
  readonly BUCKET_URL: string;
  readonly S3_REGION: string;
  /** Of a key that may read objects and nothing else. */
  readonly S3_ACCESS_KEY_ID: string;
  readonly S3_SECRET_ACCESS_KEY: string;
}

/** Cloudflare's cache. In other runtimes, this module caches nothing. */
interface EdgeCache {
  match(request: Request): Promise<Response | undefined>;
  put(request: Request, response: Response): Promise<void>;
}

interface EdgeContext {
  waitUntil(promise: Promise<unknown>): void;
}

const PATH =
  /^\/([A-Za-z0-9_-]{84})\/(vid_[1-9A-HJ-NP-Za-km-z]{1,22})\/([1-9]\d{0,8}-[1-9]\d{0,8})\/(audio(?:-(?:[2-9]|1[0-6]))?|\d{3,4}p)\/(init\.mp4|seg_\d{5}(?:_\d{1,9})?\.m4s)$/;
/**
 * How long a cache may keep a segment, here or downstream. A deleted video must be gone from the edge within a day,
 * including segments that were fetched just before its bytes left the bucket.
 */
const KEPT_SECONDS = 12 * 3600;
/** Allowed difference between this clock and the bucket's. */
const SKEW_SECONDS = 60;
const LINK_SECONDS = 600;
const PASSED_ON = ['range', 'if-range', 'if-none-match', 'if-modified-since'];
const PASSED_BACK = ['content-range', 'etag', 'last-modified', 'accept-ranges'];
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Range, If-Range, If-None-Match, If-Modified-Since',
  'access-control-max-age': '86400',
};

export default {
  async fetch(request: Request, settings: EdgeSettings, context?: EdgeContext): Promise<Response> {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { ...CORS, ...PREFLIGHT } });
    if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, { allow: 'GET, HEAD, OPTIONS' });
    const nowEpochSeconds = Math.floor(Date.now() / 1000);
    const [, grant, video, run, rendition, file] = PATH.exec(new URL(request.url).pathname) ?? [];
    const videoId = video === undefined ? null : uuidBytes(video.slice('vid_'.length));
    if (!grant || !run || !rendition || !file || videoId === null) return refusal(404);
    const claims = await verifyGrant(settings.GRANT_KEY, grant, videoId, nowEpochSeconds);
    if (claims === null) return refusal(403);

    const key = `videos/${claims.accountId}/${uuidText(videoId)}/${run}/${rendition}/${file}`;
    const found = await cached(request, key, context, () => fromBucket(request, settings, key, nowEpochSeconds));
    if (!found.ok && found.status !== 304 && found.status !== 416) return refusal(found.status === 404 ? 404 : 502);
    const headers = new Headers(CORS);
    for (const name of PASSED_BACK) {
      const value = found.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    // The body of a refusal is not passed on, so neither is its length.
    const length = found.headers.get('content-length');
    if (found.ok && length !== null) headers.set('content-length', length);
    headers.set('content-type', rendition.startsWith('audio') ? 'audio/mp4' : 'video/mp4');
    // Caches between here and the viewer use the whole URL as their key, so an entry expires with the grant.
    const remainingSeconds = Math.min(KEPT_SECONDS, claims.expiresAt - nowEpochSeconds);
    headers.set('cache-control', `public, max-age=${remainingSeconds}, immutable`);
    const body = request.method === 'HEAD' || !found.ok ? null : found.body;
    return new Response(body, { status: found.status, headers });
  },
};

/** Caches whole objects and serves parts from them. Does not cache refusals of the bucket. */
async function cached(
  request: Request,
  key: string,
  context: EdgeContext | undefined,
  fetchIt: () => Promise<Response>,
): Promise<Response> {
  const { caches } = globalThis as { caches?: { default?: EdgeCache } };
  const cache = caches?.default;
  if (cache === undefined || context === undefined || request.method !== 'GET') return fetchIt();
  const range = request.headers.get('range');
  const name = new Request(`https://objects.invalid/${key}`, { headers: range === null ? {} : { range } });
  const known = await cache.match(name);
  if (known !== undefined) return known;
  const found = await fetchIt();
  if (found.status !== 200) return found;
  const kept = new Response(found.clone().body, found);
  kept.headers.set('cache-control', `public, max-age=${KEPT_SECONDS}`);
  context.waitUntil(cache.put(name, kept));
  return found;
}

/** Reads from a presigned URL, because some runtimes change signed headers. */
async function fromBucket(request: Request, settings: EdgeSettings, key: string, now: number): Promise<Response> {
  const { S3_REGION: region, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secret } = settings;
  const { origin, host, pathname } = new URL(settings.BUCKET_URL);
  const time = new Date((now - SKEW_SECONDS) * 1000).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodeURIComponent(`${accessKeyId}/${scope}`)}`,
    `X-Amz-Date=${time}`,
    `X-Amz-Expires=${LINK_SECONDS}`,
    'X-Amz-SignedHeaders=host',
  ].join('&');
  const path = pathname + key;
  const asked = `${request.method}\n${path}\n${query}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(asked)));
  let signer = bytesOf(`AWS4${secret}`);
  for (const part of [time.slice(0, 8), region, 's3', 'aws4_request']) signer = await hmac(signer, bytesOf(part));
  const signature = hex(await hmac(signer, bytesOf(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${hex(digest)}`)));

  const headers = new Headers();
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const url = `${origin}${path}?${query}&X-Amz-Signature=${signature}`;
  return fetch(url, { method: request.method, headers }).catch(() => new Response(null, { status: 502 }));
}

interface Claims {
  readonly accountId: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/**
 * version (1 byte) · account id (16) · view id (16) · expiry in epoch seconds (6) · MAC (24 bytes of HMAC-SHA-256 over
 * all before it and the video's id).
 */
async function verifyGrant(keys: string, grant: string, videoId: Bytes, now: number): Promise<Claims | null> {
  for (const key of keys.split(',')) {
    const claims = await verifyWith(key, grant, videoId, now);
    if (claims !== null) return claims;
  }
  return null;
}

async function verifyWith(key: string, grant: string, videoId: Bytes, now: number): Promise<Claims | null> {
  const bytes = fromBase64(grant.replaceAll('-', '+').replaceAll('_', '/'));
  const said = bytes.slice(0, 39);
  const mac = await hmac(fromBase64(key), new Uint8Array([...said, ...videoId]));
  let difference = bytes.length ^ 63;
  for (const [index, byte] of bytes.slice(39).entries()) difference |= byte ^ (mac[index] ?? 0);
  if (difference !== 0 || said[0] !== 1) return null;
  const expiresAt = said.slice(33).reduce((value, byte) => value * 256 + byte, 0);
  return expiresAt <= now ? null : { accountId: uuidText(said.slice(1, 17)), expiresAt };
}

type Bytes = Uint8Array<ArrayBuffer>;

async function hmac(key: Bytes, message: Bytes): Promise<Bytes> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message));
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The 128 bits of `vid_…`, or `null` if it is not spelled as we spell it. */
function uuidBytes(digits: string): Bytes | null {
  let value = 0n;
  for (const digit of digits) value = value * 58n + BigInt(BASE58.indexOf(digit));
  if (value >> 128n !== 0n || (digits.startsWith('1') && digits.length > 1)) return null;
  return new Uint8Array(Array.from({ length: 16 }, (_, index) => Number((value >> BigInt(8 * (15 - index))) & 255n)));
}

function uuidText(bytes: Bytes): string {
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function hex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytesOf(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function refusal(status: number, more: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { ...CORS, 'cache-control': 'no-store', ...more } });
}
