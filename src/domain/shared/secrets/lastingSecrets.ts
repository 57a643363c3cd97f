import { type Database, execute, statement } from '../../../db/sql.js';
import { deriveKey, type KeyPurpose } from './masterKey.js';
import { Keyring, type MasterKeys, type Resealed } from './keyring.js';

/** The sealing context of this purpose's row. */
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
 * Returns the 32-byte secret of a purpose that must survive a change of the master key, because what was made with it
 * cannot be made again: stored hashes, and authenticator codes on people's phones.
 *
 * The first call derives it from the master key and stores it, sealed. Later calls read the stored one.
 *
 * @throws UnreadableSecretError if no known master key opens it
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

/** A page in order of purpose, after the given one. */
export const LASTING_SECRETS_AFTER = statement<
  { purpose: string; most: number },
  { purpose: string; master_key_id: string; sealed: Buffer }
>(
  'rewrap-lasting-secrets',
  `select purpose, master_key_id, sealed from lasting_secret where purpose > :purpose order by purpose limit :most`,
);

/** Stores the secret sealed under a new key, unless it changed in the meantime. */
export const REPLACE_LASTING_SECRET = statement<Resealed & { readonly purpose: string }>(
  'rewrap-lasting-secret',
  `
    update lasting_secret set master_key_id = :masterKeyId, sealed = :sealed
    where sealed = :before and purpose = :purpose
    returning 1 as done`,
);
