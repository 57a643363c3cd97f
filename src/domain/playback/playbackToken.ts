import { randomUUID, sign, verify } from 'node:crypto';

import { decodeProtectedHeader } from 'jose';

import { AppError } from '../../errors.js';
import { isUuid, parseVideoId } from '../shared/ids.js';
import { SizedLru } from '../shared/sizedLru.js';
import type { SigningKey } from './signingKey.js';
import { TOKEN_LIFETIME_SECONDS, type SigningKeys } from './signingKeys.js';

const AUDIENCE = 'playback';
/** Our tokens have about 500 characters; anything longer than this is refused unread. */
const MAX_TOKEN_LENGTH = 2048;
/**
 * A signature is 64 bytes, so its last character has four spare bits. They must be zero, so a token has only one
 * spelling.
 */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]{85}[AQgw])$/;

/** The claims of a verified token. It may have expired: callers compare `expiresAt` with the database's clock. */
export interface PlaybackClaims {
  readonly accountId: string;
  /** UUID of the API key that minted the token. `null` for the account's own preview. */
  readonly keyId: string | null;
  /** UUID. */
  readonly videoId: string;
  /** UUID of the view. */
  readonly viewId: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** By how much the clock of the test account was moved when it was minted. `null` in live mode. */
  readonly testClockSeconds: number | null;
}

/** What is wrong with a token: its form, its signing key, or its signature and claims. */
export type TokenFault = 'malformed' | 'unknownKey' | 'notOurs';

/** A token that was verified before. Only its signing key may have expired since. */
interface KnownToken {
  readonly header: string;
  readonly claims: PlaybackClaims;
}

/** A token lives for five minutes and is usually exchanged within seconds. Each takes about a kilobyte. */
const MAX_KNOWN = 8_192;

/**
 * Signs playback tokens (JWT, EdDSA) and verifies them.
 *
 * Verifying a signature costs more than the rest of an exchange, so this remembers the full text of tokens that this
 * process signed or verified. Every exchange still asks the database whether the token has expired and whether its key,
 * account and video allow a view.
 */
export class PlaybackTokens {
  private readonly known = new SizedLru<KnownToken>(MAX_KNOWN);

  constructor(
    private readonly keys: SigningKeys,
    private readonly issuer: string,
  ) {}

  /**
   * Signs one view of one video.
   *
   * Uses node:crypto directly: the header is constant per key, and one synchronous Ed25519 signature costs a fraction
   * of a WebCrypto signature and its trip through the thread pool.
   *
   * @param view.videoId the UUID; `view.publicId` is the same id as `vid_…`
   */
  sign(
    key: SigningKey,
    view: Omit<PlaybackClaims, 'viewId' | 'expiresAt'> & { publicId: string; nowEpochSeconds: number },
  ): string {
    const { accountId, keyId, videoId, testClockSeconds, publicId, nowEpochSeconds } = view;
    const viewId = randomUUID();
    const expiresAt = nowEpochSeconds + TOKEN_LIFETIME_SECONDS;
    const claims = {
      iss: this.issuer,
      aud: AUDIENCE,
      sub: publicId,
      acc: accountId,
      ...(keyId === null ? {} : { key: keyId }),
      ...(testClockSeconds === null ? {} : { clk: testClockSeconds }),
      jti: viewId,
      iat: nowEpochSeconds,
      exp: expiresAt,
    };
    const { header } = key;
    const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const token = `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
    this.known.set(token, { header, claims: { accountId, keyId, videoId, viewId, expiresAt, testClockSeconds } }, 1);
    return token;
  }

  /**
   * Checks everything about a token except its expiry.
   *
   * @throws INVALID_PLAYBACK_TOKEN
   */
  async verify(token: string): Promise<PlaybackClaims> {
    const checked = await this.check(token);
    if (typeof checked === 'string') throw invalidToken();
    return checked;
  }

  /**
   * Like {@link verify}, but returns what is wrong.
   *
   * The header must match, byte for byte, the one we write for a live key. This pins `alg`, `typ` and `kid` before
   * anything is parsed.
   */
  async check(token: string): Promise<PlaybackClaims | TokenFault> {
    const known = this.known.get(token);
    const signer = known && this.keys.verifierOf(known.header);
    if (signer && this.mayVerify(signer, known.claims)) return known.claims;

    const match = token.length <= MAX_TOKEN_LENGTH ? COMPACT.exec(token) : null;
    if (!match) return 'malformed';
    const [, header = '', payload = '', signature = ''] = match;

    let key = this.keys.verifierOf(header);
    if (!key && mayBeOurs(token) && (await this.keys.reloadForUnknownKey())) key = this.keys.verifierOf(header);
    if (!key) return 'unknownKey';
    const claims = isSignedBy(key, `${header}.${payload}`, signature) ? checkedClaims(payload, this.issuer) : null;
    if (!claims) return 'notOurs';
    if (!this.mayVerify(key, claims)) return 'unknownKey';
    this.known.set(token, { header, claims }, 1);
    return claims;
  }

  /** A key that was replaced verifies tokens of test mode for longer, because some of them live for longer. */
  private mayVerify(key: SigningKey, { testClockSeconds }: PlaybackClaims): boolean {
    return testClockSeconds !== null || this.keys.inForce(key);
  }
}

export function invalidToken(): AppError {
  return new AppError('INVALID_PLAYBACK_TOKEN', 'The playback token is invalid.');
}

/**
 * Whether the token may be signed by a key that this process has not loaded yet, because another process has rotated.
 * Only such tokens are worth a query.
 */
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

/** Returns `null` for claims that we would not write. */
function checkedClaims(payload: string, issuer: string): PlaybackClaims | null {
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const { iss, aud, sub, acc, key = null, clk = null, jti, exp } = claims;
  const videoId = typeof sub === 'string' ? parseVideoId(sub) : null;
  const isOurs = iss === issuer && aud === AUDIENCE && typeof exp === 'number';
  if (
    !isOurs ||
    videoId === null ||
    typeof acc !== 'string' ||
    !isUuid(acc) ||
    (key !== null && (typeof key !== 'string' || !isUuid(key))) ||
    (clk !== null && typeof clk !== 'number') ||
    typeof jti !== 'string' ||
    !isUuid(jti)
  ) {
    return null;
  }
  return { accountId: acc, keyId: key, videoId, viewId: jti, expiresAt: exp, testClockSeconds: clk };
}
