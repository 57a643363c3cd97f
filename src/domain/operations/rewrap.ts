import { type Database, execute, type TypedStatement } from '../../db/sql.js';
import { contextOf } from '../media/keys/mediaKeys.service.js';
import { MEDIA_KEYS_AFTER, REPLACE_MEDIA_KEY } from '../media/keys/mediaKey.sql.js';
import { REPLACE_SIGNING_KEY, SIGNING_KEYS_AFTER } from '../playback/signingKeys.js';
import type { KeyPurpose } from '../shared/secrets/masterKey.js';
import { Keyring, UnreadableSecretError, type MasterKeys, type Resealed } from '../shared/secrets/keyring.js';
import { LASTING_SECRETS_AFTER, lastingContext, REPLACE_LASTING_SECRET } from '../shared/secrets/lastingSecrets.js';
import { REPLACE_WEBHOOK_SECRET, WEBHOOK_SECRETS_AFTER } from '../accounts/webhooks/endpoint.sql.js';
import { webhookSecretContext } from '../accounts/webhooks/webhookSecrets.js';

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
  readonly master_key_id: string | null;
  readonly sealed: Buffer;
}

/** A table of secrets: how to walk it, and how to replace one secret unless it changed in the meantime. */
interface SecretTable<Place extends object, Row extends SealedRow> {
  readonly name: string;
  readonly purpose: KeyPurpose;
  /** Before the first row. */
  readonly start: Place;
  readonly after: TypedStatement<Place & { most: number }, Row>;
  readonly replace: TypedStatement<Resealed & Place, object>;
  /** The row's position in the walk; the next page starts after it. */
  readonly placeOf: (row: Row) => Place;
  /** The context that the secret is sealed for. */
  readonly contextOf: (place: Place) => string;
}

const NIL = '00000000-0000-0000-0000-000000000000';

/** Infers one type for all parts of a table. */
function tableOf<Place extends object, Row extends SealedRow>(table: SecretTable<Place, Row>) {
  return table;
}

const MEDIA_KEYS = tableOf({
  name: 'media key',
  purpose: 'media-key',
  start: { accountId: NIL, videoId: NIL, attempt: 0, run: 0, keyIndex: -1 },
  after: MEDIA_KEYS_AFTER,
  replace: REPLACE_MEDIA_KEY,
  placeOf: ({ account_id: accountId, video_id: videoId, attempt, run, key_index: keyIndex }) => ({
    accountId,
    videoId,
    attempt,
    run,
    keyIndex,
  }),
  contextOf: (place) => contextOf(place, place.keyIndex),
});

const SIGNING_KEYS = tableOf({
  name: 'playback signing key',
  purpose: 'playback-signing-key',
  start: { kid: '' },
  after: SIGNING_KEYS_AFTER,
  replace: REPLACE_SIGNING_KEY,
  placeOf: ({ kid }) => ({ kid }),
  contextOf: ({ kid }) => kid,
});

const LASTING_SECRETS = tableOf({
  name: 'lasting secret',
  purpose: 'lasting-secret',
  start: { purpose: '' },
  after: LASTING_SECRETS_AFTER,
  replace: REPLACE_LASTING_SECRET,
  placeOf: ({ purpose }) => ({ purpose }),
  contextOf: ({ purpose }) => lastingContext(purpose),
});

const WEBHOOK_SECRETS = tableOf({
  name: 'webhook secret',
  purpose: 'webhook-secret',
  start: { accountId: NIL, endpointId: NIL, id: NIL },
  after: WEBHOOK_SECRETS_AFTER,
  replace: REPLACE_WEBHOOK_SECRET,
  placeOf: ({ account_id: accountId, endpoint_id: endpointId, id }) => ({ accountId, endpointId, id }),
  contextOf: ({ accountId, endpointId, id }) => webhookSecretContext(accountId, endpointId, id),
});

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
    await this.rewrapTable(WEBHOOK_SECRETS, report);
    return report;
  }

  private async rewrapTable<Place extends object, Row extends SealedRow>(
    table: SecretTable<Place, Row>,
    report: { rewrapped: number; current: number; unreadable: string[] },
  ): Promise<void> {
    const { db, masterKeys } = this.deps;
    const keyring = new Keyring(masterKeys, table.purpose);
    let place = table.start;
    let page: Row[];
    do {
      page = await execute(db.sql, table.after, { ...place, most: BATCH });
      for (const row of page) {
        place = table.placeOf(row);
        if (row.master_key_id === keyring.currentId) {
          report.current += 1;
          continue;
        }
        const context = table.contextOf(place);
        const secret = openOrNull(keyring, row, context);
        if (secret === null) {
          if (report.unreadable.length < MAX_NAMED) {
            report.unreadable.push(`${table.name} ${Object.values(place).join(' ')}`);
          }
          continue;
        }
        const sealed = keyring.seal(secret, context);
        const done = await execute(db.sql, table.replace, { ...place, ...sealed, before: row.sealed });
        report.rewrapped += done.length;
      }
    } while (page.length === BATCH);
  }
}

function openOrNull(
  keyring: Keyring,
  { master_key_id: masterKeyId, sealed }: SealedRow,
  context: string,
): Buffer | null {
  try {
    return keyring.open({ masterKeyId, sealed }, context);
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}
