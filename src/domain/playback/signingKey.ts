import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

import { AppError } from '../../errors.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A public key as `/.well-known/jwks.json` lists it. */
export type PublicJwk = JWK & { readonly kid: string; readonly kty: string };

/** One key pair that signs playback tokens for a while. Times are the database's, in epoch seconds. */
export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The JWT header of its tokens, encoded: signing and pinning both go by it. */
  readonly header: string;
  readonly signsFrom: number;
  /** `null` while no newer key is published. */
  readonly verifiesUntil: number | null;
}

/** A row of `playback_signing_key`, as the statements select it. */
export interface SigningKeyRow {
  kid: string;
  public_jwk: PublicJwk;
  encrypted_private_jwk: Buffer;
  signs_from: number;
  verifies_until: number | null;
}

/** A new Ed25519 pair; the private half is encrypted already. */
export async function generateSigningKey(
  encryptionKey: Buffer,
): Promise<Pick<SigningKeyRow, 'kid' | 'public_jwk' | 'encrypted_private_jwk'>> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    kid,
    public_jwk: { ...publicJwk, kty: 'OKP', kid, alg: 'EdDSA', use: 'sig' },
    encrypted_private_jwk: encrypt(encryptionKey, kid, JSON.stringify(await exportJWK(pair.privateKey))),
  };
}

/** @throws where the row was not written under this master key */
export function openSigningKey(encryptionKey: Buffer, row: SigningKeyRow): SigningKey {
  const privateJwk = privateJwkOf(encryptionKey, row);
  return {
    kid: row.kid,
    publicJwk: row.public_jwk,
    privateKey: createPrivateKey({ key: privateJwk, format: 'jwk' }),
    publicKey: createPublicKey({ key: { ...row.public_jwk }, format: 'jwk' }),
    header: Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'JWT', kid: row.kid })).toString('base64url'),
    signsFrom: row.signs_from,
    verifiesUntil: row.verifies_until,
  };
}

function privateJwkOf(encryptionKey: Buffer, row: SigningKeyRow): JsonWebKey {
  try {
    return JSON.parse(decrypt(encryptionKey, row.kid, row.encrypted_private_jwk)) as JsonWebKey;
  } catch (cause) {
    const message =
      'The playback signing keys in this database were made under another master key. Start with that one.';
    throw new AppError('INTERNAL_ERROR', message, { cause });
  }
}

/** Nonce, ciphertext, tag. The key id is authenticated with it: rows cannot be swapped. */
function encrypt(key: Buffer, kid: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(kid));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, kid: string, sealed: Buffer): string {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(kid))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
