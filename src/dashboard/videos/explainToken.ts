import { words } from '#words/video.js';

/** Explains a playback token without asking the service: it is decoded and checked in this page, and never sent. */

export interface TokenFinding {
  readonly kind: 'good' | 'bad' | 'unknown';
  readonly text: string;
}

export interface ExplainedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** As sentences, most important first. */
  readonly findings: readonly TokenFinding[];
}

interface KeySet {
  readonly keys: readonly (JsonWebKey & { readonly kid?: string })[];
}

/** Decodes `token`, checks its signature against the published keys, and compares it with the current video. */
export async function explainToken(
  token: string,
  video: { id: string; title: string },
): Promise<ExplainedToken | null> {
  const parts = token.trim().split('.');
  const header = decoded(parts[0]);
  const claims = decoded(parts[1]);
  if (parts.length !== 3 || !header || !claims) return null;

  const now = Date.now() / 1000;
  return {
    header,
    claims,
    findings: [await signatureFinding(parts, header), subjectFinding(claims, video), ...timeFindings(claims, now)],
  };
}

function subjectFinding({ sub, aud }: Record<string, unknown>, video: { id: string; title: string }): TokenFinding {
  if (aud !== 'playback') return { kind: 'bad', text: words.explainToken.notPlaybackToken };
  return sub === video.id
    ? { kind: 'good', text: words.explainToken.video(video.title) }
    : { kind: 'bad', text: words.explainToken.anotherVideo(String(sub)) };
}

function timeFindings({ iat, exp }: Record<string, unknown>, now: number): TokenFinding[] {
  if (typeof exp !== 'number') return [{ kind: 'bad', text: words.explainToken.hasNoExpiryTime }];
  const left = Math.round(exp - now);
  const findings: TokenFinding[] = [
    left > 0
      ? { kind: 'good', text: words.explainToken.validMoreOnceUsed(showSeconds(left)) }
      : { kind: 'bad', text: words.explainToken.expiredAgoCreateNew(showSeconds(-left)) },
  ];
  if (typeof iat === 'number' && iat > now + 60) {
    findings.push({ kind: 'unknown', text: words.explainToken.issuedFutureDevicesClock });
  }
  return findings;
}

async function signatureFinding(parts: readonly string[], header: Record<string, unknown>): Promise<TokenFinding> {
  const { alg, kid } = header;
  if (alg !== 'EdDSA') return { kind: 'bad', text: words.explainToken.signedExpectedEddsa(String(alg)) };
  let keys: KeySet['keys'];
  try {
    const response = await fetch('/.well-known/jwks.json');
    ({ keys } = (await response.json()) as KeySet);
  } catch {
    return { kind: 'unknown', text: words.explainToken.publishedKeysCouldNot };
  }
  const key = keys.find((one) => one.kid === kid);
  if (!key) return { kind: 'bad', text: words.explainToken.noPublishedKeyNamed(String(kid)) };
  const isSigned = await verifies(key, `${parts[0]}.${parts[1]}`, parts[2] ?? '');
  if (isSigned === undefined) {
    return { kind: 'unknown', text: words.explainToken.namesPublishedKeyBrowser(String(kid)) };
  }
  return isSigned
    ? { kind: 'good', text: words.explainToken.validSignaturePublishedKey(String(kid)) }
    : { kind: 'bad', text: words.explainToken.invalidSignatureTokenWas };
}

/** Undefined if the browser does not support Ed25519. */
async function verifies(key: JsonWebKey, signed: string, signature: string): Promise<boolean | undefined> {
  const bytes = bytesOf(signature);
  if (!bytes) return false;
  try {
    const { kty, crv, x } = key;
    const jwk = { kty, crv, x } as JsonWebKey;
    const imported = await crypto.subtle.importKey('jwk', jwk, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify('Ed25519', imported, bytes, new TextEncoder().encode(signed));
  } catch {
    return undefined;
  }
}

function decoded(part: string | undefined): Record<string, unknown> | null {
  const bytes = bytesOf(part ?? '');
  if (!bytes) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function showSeconds(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5400) return words.explainToken.minutes(Math.round(seconds / 60));
  if (seconds < 129_600) return words.explainToken.hours(Math.round(seconds / 3600));
  return words.explainToken.days(Math.round(seconds / 86_400));
}
