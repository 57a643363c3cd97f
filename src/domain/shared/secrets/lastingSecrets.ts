import { type Database, execute, type Statement, statement } from '../../../db/sql.js';
import { deriveKey, type KeyPurpose } from './masterKey.js';
import { Keyring, type MasterKeys } from './keyring.js';

/** What a stored row of this purpose is sealed for. */
export const lastingContext = (purpose: string): string => `lasting-secret/${purpose}`;

const FIND = statement<{ purpose: string }, { master_key_id: string; sealed: Buffer }>(
  'lasting-secret-find',
  'select master_key_id, sealed from lasting_secret where purpose = :purpose',
);

const INSERT = statement<{ purpose: KeyPurpose; masterKeyId: string; sealed: Buffer }>(
  'lasting-secret-insert',
  `
    insert into lasting_secret (purpose, master_key_id, sealed, created_at) values (:purpose, :masterKeyId, :sealed, service_now())
    on conflict do nothing`,
);

/**
 * The 32 bytes of one purpose that must stay the same when the master key changes, because what was made with them
 * cannot be made again: hashes to compare with, codes in people's telephones.
 *
 * The first time it is what the master key gives for the purpose; that is kept, sealed, from then on.
 *
 * @throws UnreadableSecretError where no master key of these opens it
 */
export async function lastingSecret(db: Database, masterKeys: MasterKeys, purpose: KeyPurpose): Promise<Buffer> {
  const keyring = new Keyring(masterKeys, 'lasting-secret');
  const known = await find(db, keyring, purpose);
  if (known !== null) return known;
  const first = keyring.seal(deriveKey(masterKeys.current, purpose), lastingContext(purpose));
  await execute(db.sql, INSERT, { purpose, masterKeyId: first.masterKeyId, sealed: first.sealed });
  const kept = await find(db, keyring, purpose);
  if (kept === null) throw new Error(`the secret of ${purpose} was not kept`);
  return kept;
}

async function find(db: Database, keyring: Keyring, purpose: string): Promise<Buffer | null> {
  const [row] = await execute(db.sql, FIND, { purpose });
  if (row === undefined) return null;
  return keyring.open({ masterKeyId: row.master_key_id, sealed: row.sealed }, lastingContext(purpose));
}

/** Sealed anew, unless it was changed meanwhile. */
export const REPLACE_LASTING_SECRET: Statement = {
  name: 'rewrap-lasting-secret',
  text: `
    update lasting_secret set master_key_id = $1, sealed = $2 where sealed = $3 and purpose = $4
    returning 1 as done`,
};
