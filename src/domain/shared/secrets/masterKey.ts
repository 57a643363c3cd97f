import { hkdfSync } from 'node:crypto';

const MASTER_KEY_BYTES = 32;

/** What a derived key is for. A key of one purpose can neither read nor forge what another wrote. */
export type KeyPurpose =
  | 'playback-grant'
  | 'playback-signing-key'
  | 'playback-visitor'
  | 'media-key'
  | 'lasting-secret'
  | 'master-key-id'
  | 'list-cursor'
  | 'identity'
  | 'demo'
  | 'webhook-secret'
  | 'payment-sandbox'
  | 'payer'
  | 'account-export'
  | 'unsubscribe';

/**
 * Derives the 32-byte key of one purpose (HKDF-SHA-256, RFC 5869).
 *
 * @param masterKey 32 random bytes, the service's one secret for data at rest
 */
export function deriveKey(masterKey: Uint8Array, purpose: KeyPurpose): Buffer {
  if (masterKey.length !== MASTER_KEY_BYTES) throw new TypeError('The master key is 32 bytes.');
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `dhara/${purpose}/v1`, 32));
}
