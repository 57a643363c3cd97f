import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import { deriveKey, type KeyPurpose } from './masterKey.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 8;

/** The master key of today, and those of before that stored secrets may still be sealed under. 32 bytes each. */
export interface MasterKeys {
  readonly current: Uint8Array;
  readonly previous: readonly Uint8Array[];
}

/** What is stored of a secret. */
export interface SealedSecret {
  /** Names the master key, and says nothing about it. */
  readonly masterKeyId: string;
  /** Nonce, ciphertext and tag of AES-256-GCM. */
  readonly sealed: Buffer;
}

/** No master key of this process opens it, or it is not what it claims to be. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';
}

/**
 * Seals secrets of one purpose under the current master key, and opens what any of the known ones sealed.
 *
 * Every secret is sealed for its place (`context`), such as the row it lies in: moved elsewhere it does not open.
 */
export class Keyring {
  /** Of the master key that seals. */
  readonly currentId: string;
  private readonly keys: ReadonlyMap<string, Buffer>;

  constructor({ current, previous }: MasterKeys, purpose: KeyPurpose) {
    this.currentId = idOf(current);
    this.keys = new Map([current, ...previous].map((key) => [idOf(key), deriveKey(key, purpose)]));
  }

  seal(secret: Uint8Array, context: string): SealedSecret {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.keyOf(this.currentId), nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    return { masterKeyId: this.currentId, sealed };
  }

  /**
   * @param masterKeyId `null` where it was not noted: then every known master key is tried.
   * @throws UnreadableSecretError
   */
  open({ masterKeyId, sealed }: { masterKeyId: string | null; sealed: Buffer }, context: string): Buffer {
    const candidates = masterKeyId === null ? [...this.keys.values()] : [this.keyOf(masterKeyId)];
    let cause: unknown;
    for (const key of candidates) {
      try {
        return decrypt(key, sealed, context);
      } catch (error) {
        cause = error;
      }
    }
    throw new UnreadableSecretError('A stored secret does not open where it lies.', { cause });
  }

  private keyOf(masterKeyId: string): Buffer {
    const key = this.keys.get(masterKeyId);
    if (key === undefined) throw new UnreadableSecretError(`Master key ${masterKeyId} is not at hand.`);
    return key;
  }
}

function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

function idOf(masterKey: Uint8Array): string {
  return deriveKey(masterKey, 'master-key-id').toString('hex', 0, ID_BYTES);
}
