import { scrypt } from 'node:crypto';

import { MoveError } from '../../../ports/accountArchive.js';
import { seal, unseal } from '../../shared/secrets/sealing.js';

export const SALT_BYTES = 32;
/** About half a second and 128 MB per guess of the passphrase. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 192 * 1024 * 1024 };

/** Seals the secrets of an archive with a passphrase, because the other service has another master key. */
export class SecretBox {
  private constructor(private readonly key: Buffer) {}

  /** @param salt that of the archive */
  static async open(passphrase: string, salt: Uint8Array): Promise<SecretBox> {
    const key = await new Promise<Buffer>((resolve, reject) => {
      scrypt(passphrase.normalize('NFKC'), salt, 32, SCRYPT, (error, derived) =>
        error ? reject(error) : resolve(derived),
      );
    });
    return new SecretBox(key);
  }

  /** @param place what the secret is for: it opens nowhere else */
  seal(secret: Uint8Array, place: string): Buffer {
    return seal(this.key, secret, place);
  }

  /** @throws MoveError */
  unseal(sealed: Buffer, place: string): Buffer {
    try {
      return unseal(this.key, sealed, place);
    } catch (error) {
      throw new MoveError('WRONG_PASSPHRASE', 'The passphrase does not open the secrets of this archive.', {
        cause: error,
      });
    }
  }
}
