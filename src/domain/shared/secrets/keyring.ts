import { deriveKey, type KeyPurpose } from './masterKey.js';
import { seal, unseal } from './sealing.js';

const ID_BYTES = 8;

/** The current master key, and earlier ones that stored secrets may still be sealed under. 32 bytes each. */
export interface MasterKeys {
  readonly current: Uint8Array;
  readonly previous: readonly Uint8Array[];
}

/** A secret as it is stored. */
export interface SealedSecret {
  /** Identifies the master key without revealing anything about it. */
  readonly masterKeyId: string;
  /** Nonce, ciphertext and tag of AES-256-GCM. */
  readonly sealed: Buffer;
}

/** A secret sealed under another master key, and the bytes that it replaces. */
export interface Resealed extends SealedSecret {
  readonly before: Buffer;
}

/** No master key of this process opens the secret, or the secret was tampered with. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';
}

/**
 * Seals secrets of one purpose under the current master key, and opens secrets sealed under any known one.
 *
 * Every secret is bound to its place (`context`), such as its row: it does not open anywhere else.
 */
export class Keyring {
  /** The id of the master key that seals. */
  readonly currentId: string;
  private readonly keys: ReadonlyMap<string, Buffer>;

  constructor({ current, previous }: MasterKeys, purpose: KeyPurpose) {
    this.currentId = masterKeyIdOf(current);
    this.keys = new Map([current, ...previous].map((key) => [masterKeyIdOf(key), deriveKey(key, purpose)]));
  }

  seal(secret: Uint8Array, context: string): SealedSecret {
    return { masterKeyId: this.currentId, sealed: seal(this.keyOf(this.currentId), secret, context) };
  }

  /**
   * @param masterKeyId `null` if it was not recorded; then every known master key is tried
   * @throws UnreadableSecretError
   */
  open({ masterKeyId, sealed }: { masterKeyId: string | null; sealed: Buffer }, context: string): Buffer {
    const candidates = masterKeyId === null ? [...this.keys.values()] : [this.keyOf(masterKeyId)];
    let cause: unknown;
    for (const key of candidates) {
      try {
        return unseal(key, sealed, context);
      } catch (error) {
        cause = error;
      }
    }
    throw new UnreadableSecretError('A stored secret could not be decrypted.', { cause });
  }

  private keyOf(masterKeyId: string): Buffer {
    const key = this.keys.get(masterKeyId);
    if (key === undefined) throw new UnreadableSecretError(`Master key ${masterKeyId} is missing.`);
    return key;
  }
}

/** Identifies a master key without revealing anything about it. */
export function masterKeyIdOf(masterKey: Uint8Array): string {
  return deriveKey(masterKey, 'master-key-id').toString('hex', 0, ID_BYTES);
}
