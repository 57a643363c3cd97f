import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** RFC 8410: what precedes the 32 bytes of a private and of a public Ed25519 key in DER. */
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;
const SPELLING = /^ed25519:([A-Za-z0-9_-]{43})$/;

/** What is signed begins with it, so that no signature of one thing is one of another. */
const signed = (what: 'header' | 'manifest', bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`dhara-account-archive/1 ${what}\n`), bytes]);

/** The key with which a service signs its archives. */
export class ExportKey {
  private readonly key: KeyObject;
  /** `ed25519:` and the public key in base64url. */
  readonly publicKey: string;

  /** @param secret 32 bytes */
  constructor(secret: Buffer) {
    this.key = createPrivateKey({ key: Buffer.concat([PRIVATE_DER, secret]), format: 'der', type: 'pkcs8' });
    const der = createPublicKey(this.key).export({ format: 'der', type: 'spki' });
    this.publicKey = `ed25519:${der.subarray(-KEY_BYTES).toString('base64url')}`;
  }

  sign(what: 'header' | 'manifest', bytes: Uint8Array): Buffer {
    return sign(null, signed(what, bytes), this.key);
  }
}

export function isPublicKey(text: string): boolean {
  return SPELLING.test(text);
}

/** @param publicKey as `ExportKey.publicKey` */
export function isSignedBy(
  publicKey: string,
  what: 'header' | 'manifest',
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  const [, raw = ''] = SPELLING.exec(publicKey) ?? [];
  const key = createPublicKey({
    key: Buffer.concat([PUBLIC_DER, Buffer.from(raw, 'base64url')]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, signed(what, bytes), key, signature);
}
