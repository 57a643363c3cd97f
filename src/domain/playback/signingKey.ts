import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

import { AppError } from '../../errors.js';
import type { Keyring } from '../shared/secrets/keyring.js';

/** A public key as `/.well-known/jwks.json` lists it. */
export type PublicJwk = JWK & { readonly kid: string; readonly kty: string };

/** A key pair that signs playback tokens for a while. Times are the database's, in epoch seconds. */
export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The encoded JWT header of the key's tokens, used to sign and to pin. */
  readonly header: string;
  readonly signsFrom: number;
  /** `null` while no newer key is published. */
  readonly verifiesUntil: number | null;
}

/** A row of `playback_signing_key`. */
export interface SigningKeyRow {
  kid: string;
  public_jwk: PublicJwk;
  encrypted_private_jwk: Buffer;
  /** The master key that encrypts it; `null` in rows older than this column. */
  master_key_id: string | null;
  signs_from: number;
  verifies_until: number | null;
}

/** Creates an Ed25519 pair with its private half already encrypted. */
export async function generateSigningKey(
  keyring: Keyring,
): Promise<Pick<SigningKeyRow, 'kid' | 'public_jwk' | 'encrypted_private_jwk' | 'master_key_id'>> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  // The encryption authenticates the key id, so ciphertexts cannot be swapped between rows.
  const { sealed, masterKeyId } = keyring.seal(Buffer.from(JSON.stringify(await exportJWK(pair.privateKey))), kid);
  return {
    kid,
    public_jwk: { ...publicJwk, kty: 'OKP', kid, alg: 'EdDSA', use: 'sig' },
    encrypted_private_jwk: sealed,
    master_key_id: masterKeyId,
  };
}

/** @throws if none of these master keys encrypted the row */
export function openSigningKey(keyring: Keyring, row: SigningKeyRow): SigningKey {
  const privateJwk = privateJwkOf(keyring, row);
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

function privateJwkOf(keyring: Keyring, row: SigningKeyRow): JsonWebKey {
  try {
    const sealed = { masterKeyId: row.master_key_id, sealed: row.encrypted_private_jwk };
    return JSON.parse(keyring.open(sealed, row.kid).toString()) as JsonWebKey;
  } catch (cause) {
    const message =
      'The playback signing keys in this database were encrypted with another master key. Start with that key, or add it to MASTER_KEY_PREVIOUS.';
    throw new AppError('INTERNAL_ERROR', message, { cause });
  }
}
