import type { Database, Statement } from '../../db/sql.js';
import { contextOf } from '../media/keys/mediaKeys.service.js';
import { REPLACE_MEDIA_KEY } from '../media/keys/mediaKey.sql.js';
import { REPLACE_SIGNING_KEY } from '../playback/signingKeys.js';
import type { KeyPurpose } from '../shared/secrets/masterKey.js';
import { Keyring, UnreadableSecretError, type MasterKeys } from '../shared/secrets/keyring.js';
import { lastingContext, REPLACE_LASTING_SECRET } from '../shared/secrets/lastingSecrets.js';

const BATCH = 500;
/** The most rows named one by one; there may be millions. */
const MAX_NAMED = 20;

export interface RewrapReport {
  readonly rewrapped: number;
  /** Already under the current master key. */
  readonly current: number;
  /** The first few rows that no given master key opens. */
  readonly unreadable: readonly string[];
}

interface SealedRow {
  /** The row's position in the walk; the next page starts after it. */
  readonly at: unknown[];
  /** The context that the secret is sealed for. */
  readonly context: string;
  readonly master_key_id: string | null;
  readonly sealed: Buffer;
}

/** A table of secrets: how to walk it, and how to replace one secret unless it changed in the meantime. */
interface SecretTable<Row extends object> {
  readonly name: string;
  readonly purpose: KeyPurpose;
  readonly first: readonly unknown[];
  readonly page: Statement;
  readonly replace: Statement;
  readonly sealedRow: (row: Row) => SealedRow;
}

const NIL = '00000000-0000-0000-0000-000000000000';

interface MediaKeyRow {
  account_id: string;
  video_id: string;
  attempt: number;
  run: number;
  key_index: number;
  master_key_id: string;
  sealed: Buffer;
}

const MEDIA_KEYS: SecretTable<MediaKeyRow> = {
  name: 'media key',
  purpose: 'media-key',
  first: [NIL, NIL, 0, 0, -1],
  page: {
    name: 'rewrap-media-keys',
    text: `
      select account_id, video_id, attempt, run, key_index, master_key_id, sealed from media_key
      where (account_id, video_id, attempt, run, key_index) > ($1, $2, $3, $4, $5)
      order by account_id, video_id, attempt, run, key_index limit ${BATCH}`,
  },
  replace: REPLACE_MEDIA_KEY,
  sealedRow: (row) => ({
    ...row,
    at: [row.account_id, row.video_id, row.attempt, row.run, row.key_index],
    context: contextOf({ ...row, accountId: row.account_id, videoId: row.video_id }, row.key_index),
  }),
};

const SIGNING_KEYS: SecretTable<{ kid: string; master_key_id: string | null; sealed: Buffer }> = {
  name: 'playback signing key',
  purpose: 'playback-signing-key',
  first: [''],
  page: {
    name: 'rewrap-signing-keys',
    text: `
      select kid, master_key_id, encrypted_private_jwk as sealed from playback_signing_key
      where kid > $1 order by kid limit ${BATCH}`,
  },
  replace: REPLACE_SIGNING_KEY,
  sealedRow: (row) => ({ ...row, at: [row.kid], context: row.kid }),
};

const LASTING_SECRETS: SecretTable<{ purpose: string; master_key_id: string; sealed: Buffer }> = {
  name: 'lasting secret',
  purpose: 'lasting-secret',
  first: [''],
  page: {
    name: 'rewrap-lasting-secrets',
    text: `
      select purpose, master_key_id, sealed from lasting_secret where purpose > $1 order by purpose limit ${BATCH}`,
  },
  replace: REPLACE_LASTING_SECRET,
  sealedRow: (row) => ({ ...row, at: [row.purpose], context: lastingContext(row.purpose) }),
};

/**
 * Seals every stored secret under the current master key, next to a running service that knows both keys. If
 * interrupted, it can run again and continues with the rest: each row changes on its own, and only if nobody changed it
 * in the meantime.
 */
export class SecretRewrap {
  constructor(private readonly deps: { db: Database; masterKeys: MasterKeys }) {}

  async run(): Promise<RewrapReport> {
    const report = { rewrapped: 0, current: 0, unreadable: [] as string[] };
    await this.rewrapTable(MEDIA_KEYS, report);
    await this.rewrapTable(SIGNING_KEYS, report);
    await this.rewrapTable(LASTING_SECRETS, report);
    return report;
  }

  private async rewrapTable<Row extends object>(
    table: SecretTable<Row>,
    report: { rewrapped: number; current: number; unreadable: string[] },
  ): Promise<void> {
    const { db, masterKeys } = this.deps;
    const keyring = new Keyring(masterKeys, table.purpose);
    let after = table.first;
    let page: Row[];
    do {
      page = await db.sql.query<Row>(table.page, after);
      for (const row of page.map(table.sealedRow)) {
        after = row.at;
        if (row.master_key_id === keyring.currentId) {
          report.current += 1;
          continue;
        }
        const secret = openOrNull(keyring, row);
        if (secret === null) {
          if (report.unreadable.length < MAX_NAMED) report.unreadable.push(`${table.name} ${row.at.join(' ')}`);
          continue;
        }
        const { masterKeyId, sealed } = keyring.seal(secret, row.context);
        const done = await db.sql.query(table.replace, [masterKeyId, sealed, row.sealed, ...row.at]);
        report.rewrapped += done.length;
      }
    } while (page.length === BATCH);
  }
}

function openOrNull(keyring: Keyring, { master_key_id: masterKeyId, sealed, context }: SealedRow): Buffer | null {
  try {
    return keyring.open({ masterKeyId, sealed }, context);
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}
