/**
 * A grant opens the media of one video for one view. It is in the path of media URLs, so relative playlists,
 * segments and keys inherit it; checking one needs no database.
 *
 * Layout: version (1 byte) · account id (16) · view id (16) · expiry in epoch seconds (6) · MAC (24). The video id is
 * under the MAC but not in the segment: it is in the path already. 63 bytes are a multiple of three, so base64url has
 * no spare bits and every grant has exactly one spelling.
 */
import { timingSafeEqual } from 'node:crypto';

import { hmacSha256 } from './hmac.js';

const VERSION = 1;
const ACCOUNT_AT = 1;
const VIEW_AT = 17;
const EXPIRY_AT = 33;
const EXPIRY_BYTES = 6;
const PAYLOAD_BYTES = EXPIRY_AT + EXPIRY_BYTES;
const MAC_BYTES = 24;
const UUID_BYTES = 16;
const SEGMENT = /^[A-Za-z0-9_-]{84}$/;

/** How long a grant outlives the video: long enough for pauses and slow networks. */
const MARGIN_SECONDS = 6 * 3600;

export interface GrantClaims {
  /** UUID, lower case. */
  readonly accountId: string;
  /** UUID, lower case: the playback token's `jti`. */
  readonly viewId: string;
  /** Epoch seconds. In test mode by the test clock of the account. */
  readonly expiresAt: number;
}

/**
 * When a token's grant expires, in epoch seconds: the token's own expiry plus the video's duration plus a margin. It
 * depends only on the token and the video, so the same view always gets the same grant.
 */
export function grantExpiry(tokenExpiresAtEpochSeconds: number, durationMs: number): number {
  return tokenExpiresAtEpochSeconds + Math.ceil(durationMs / 1000) + MARGIN_SECONDS;
}

/**
 * One URL path segment (84 characters of base64url) that opens `videoId`. The same input gives the same segment.
 *
 * @param key `deriveKey(masterKey, 'playback-grant')`
 * @param grant ids are UUIDs in any case
 */
export function createGrant(
  key: Uint8Array,
  grant: { accountId: string; videoId: string; viewId: string; expiresAtEpochSeconds: number },
): string {
  const bytes = Buffer.allocUnsafe(PAYLOAD_BYTES + MAC_BYTES);
  bytes[0] = VERSION;
  writeUuid(bytes, grant.accountId, ACCOUNT_AT);
  writeUuid(bytes, grant.viewId, VIEW_AT);
  bytes.writeUIntBE(grant.expiresAtEpochSeconds, EXPIRY_AT, EXPIRY_BYTES);
  macOf(key, bytes, grant.videoId).copy(bytes, PAYLOAD_BYTES, 0, MAC_BYTES);
  return bytes.toString('base64url');
}

/**
 * Returns the claims of a grant, or `null` if it is malformed, forged, expired, or for another video.
 *
 * @param videoId the UUID of the requested video, in any case
 */
export function verifyGrant(
  key: Uint8Array,
  segment: string,
  videoId: string,
  nowEpochSeconds: number,
): GrantClaims | null {
  if (!SEGMENT.test(segment)) return null;
  const bytes = Buffer.from(segment, 'base64url');
  const expected = macOf(key, bytes, videoId).subarray(0, MAC_BYTES);
  if (!timingSafeEqual(expected, bytes.subarray(PAYLOAD_BYTES))) return null;
  if (bytes[0] !== VERSION) return null;
  const expiresAt = bytes.readUIntBE(EXPIRY_AT, EXPIRY_BYTES);
  if (expiresAt <= nowEpochSeconds) return null;
  return { accountId: readUuid(bytes, ACCOUNT_AT), viewId: readUuid(bytes, VIEW_AT), expiresAt };
}

/**
 * The same with the first key that verifies it.
 *
 * @param keys the current key first, then those of earlier master keys
 */
export function verifyGrantByAny(
  keys: readonly Uint8Array[],
  segment: string,
  videoId: string,
  nowEpochSeconds: number,
): GrantClaims | null {
  for (const key of keys) {
    const claims = verifyGrant(key, segment, videoId, nowEpochSeconds);
    if (claims !== null) return claims;
  }
  return null;
}

function macOf(key: Uint8Array, bytes: Buffer, videoId: string): Buffer {
  const signed = Buffer.allocUnsafe(PAYLOAD_BYTES + UUID_BYTES);
  bytes.copy(signed, 0, 0, PAYLOAD_BYTES);
  writeUuid(signed, videoId, PAYLOAD_BYTES);
  return hmacSha256(key, signed);
}

function writeUuid(bytes: Buffer, uuid: string, at: number): void {
  if (bytes.write(uuid.replaceAll('-', ''), at, UUID_BYTES, 'hex') !== UUID_BYTES) throw new TypeError('Not a UUID.');
}

function readUuid(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + UUID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
