import { randomUUID, sign, verify } from 'node:crypto';

import { decodeProtectedHeader } from 'jose';

import { AppError } from '../../errors.js';
import { isUuid, parseVideoId } from '../shared/ids.js';
import type { SigningKey } from './signingKey.js';
import { TOKEN_LIFETIME_SECONDS, type SigningKeys } from './signingKeys.js';

const AUDIENCE = 'playback';
/** What we issue is about 500 characters; nothing longer is looked at. */
const MAX_TOKEN_LENGTH = 2048;
/** A signature is 64 bytes: its last character has four spare bits, which stay zero, so a token has one spelling. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]{85}[AQgw])$/;

/** What a verified token says. It may have expired: `exp` is for the database's clock to judge. */
export interface PlaybackClaims {
  readonly accountId: string;
  /** The API key that minted it: a UUID. `null` for the account's own preview. */
  readonly keyId: string | null;
  /** UUID. */
  readonly videoId: string;
  /** The view: a UUID. */
  readonly viewId: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/**
 * Signs one view of one video (JWT, EdDSA).
 *
 * By hand over node:crypto: the header is a constant per key, and its one synchronous Ed25519 signature takes a
 * fraction of what a WebCrypto signature and its trip through the thread pool cost.
 *
 * @param view.videoId the `vid_` id
 */
export function signToken(
  key: SigningKey,
  issuer: string,
  view: { accountId: string; keyId: string | null; videoId: string; nowEpochSeconds: number },
): string {
  const claims = {
    iss: issuer,
    aud: AUDIENCE,
    sub: view.videoId,
    acc: view.accountId,
    ...(view.keyId === null ? {} : { key: view.keyId }),
    jti: randomUUID(),
    iat: view.nowEpochSeconds,
    exp: view.nowEpochSeconds + TOKEN_LIFETIME_SECONDS,
  };
  const signed = `${key.header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
}

/**
 * Checks everything about a token but its expiry.
 *
 * The header must be, byte for byte, the one we write for a key that is alive: `alg`, `typ` and `kid` are pinned
 * before anything is parsed.
 *
 * @throws INVALID_PLAYBACK_TOKEN
 */
export async function verifyToken(keys: SigningKeys, issuer: string, token: string): Promise<PlaybackClaims> {
  const match = token.length <= MAX_TOKEN_LENGTH ? COMPACT.exec(token) : null;
  if (!match) throw invalidToken();
  const [, header = '', payload = '', signature = ''] = match;

  let key = keys.verifierOf(header);
  if (!key && mayBeOurs(token) && (await keys.reloadForUnknownKey())) key = keys.verifierOf(header);
  if (!key || !isSignedBy(key, `${header}.${payload}`, signature)) throw invalidToken();
  return checkedClaims(payload, issuer);
}

export function invalidToken(): AppError {
  return new AppError('INVALID_PLAYBACK_TOKEN', 'The playback token is invalid.');
}

/** A key of this process's future: another process has rotated. Anything else is not worth a look at the database. */
function mayBeOurs(token: string): boolean {
  try {
    const { alg, typ, kid } = decodeProtectedHeader(token);
    return alg === 'EdDSA' && typ === 'JWT' && typeof kid === 'string';
  } catch {
    return false;
  }
}

function isSignedBy(key: SigningKey, signed: string, signature: string): boolean {
  return verify(null, Buffer.from(signed), key.publicKey, Buffer.from(signature, 'base64url'));
}

function checkedClaims(payload: string, issuer: string): PlaybackClaims {
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const { iss, aud, sub, acc, key = null, jti, exp } = claims;
  const videoId = typeof sub === 'string' ? parseVideoId(sub) : null;
  const isOurs = iss === issuer && aud === AUDIENCE && typeof exp === 'number';
  if (
    !isOurs ||
    videoId === null ||
    typeof acc !== 'string' ||
    !isUuid(acc) ||
    (key !== null && (typeof key !== 'string' || !isUuid(key))) ||
    typeof jti !== 'string' ||
    !isUuid(jti)
  ) {
    throw invalidToken();
  }
  return { accountId: acc, keyId: key, videoId, viewId: jti, expiresAt: exp };
}
