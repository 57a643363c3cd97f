import { type Database, execute, type NoParams, statement } from '../../db/sql.js';
import type { DatabaseClock } from './databaseClock.js';
import { takeProcessLock } from '../shared/processLock.js';
import { Keyring, type Resealed } from '../shared/secrets/keyring.js';
import {
  generateSigningKey,
  openSigningKey,
  type PublicJwk,
  type SigningKey,
  type SigningKeyRow,
} from './signingKey.js';

/** From mint to exchange. After the exchange, the grant identifies the view. */
export const TOKEN_LIFETIME_SECONDS = 300;

const RELOAD_EVERY_MS = 15_000;
/** A process that was suspended for longer than this reloads the keys before it signs. */
const STALE_AFTER_MS = 45_000;
/** Tokens with an unknown key id cause at most one reload in this interval, however many there are. */
const UNKNOWN_KID_RELOAD_MS = 5_000;
/** From publishing to signing. By then every process has reloaded and every cached key set has expired. */
const PUBLISHED_BEFORE_SIGNING_SECONDS = 60;
/** How much longer the old key verifies after its last token expires, for a process that noticed the rotation late. */
const VERIFY_MARGIN_SECONDS = 600;
/** How much longer tokens of a test key with TOKENS_LIVE_ON can be exchanged. */
export const TEST_TOKENS_LIVE_ON_SECONDS = 3_600;

/** Also those that only verify tokens of test mode any more. */
const load = statement<NoParams, SigningKeyRow & { now: number }>(
  'signing-key-load',
  `
    select kid, public_jwk, encrypted_private_jwk, master_key_id,
      extract(epoch from signs_from)::float8 as signs_from,
      extract(epoch from verifies_until)::float8 as verifies_until,
      extract(epoch from c.now)::float8 as now
    from (select service_now() as now offset 0) c
    left join playback_signing_key on verifies_until is null
      or verifies_until > c.now - interval '${TEST_TOKENS_LIVE_ON_SECONDS} seconds'
    order by signs_from`,
);

const retire = statement<{ signsInSeconds: number; verifiesForSeconds: number }>(
  'signing-key-retire',
  `
    update playback_signing_key
    set verifies_until = greatest(signs_from, service_now() + :signsInSeconds * interval '1 second')
      + :verifiesForSeconds * interval '1 second'
    where verifies_until is null`,
);

const insert = statement<{
  kid: string;
  publicJwk: string;
  encryptedPrivateJwk: Buffer;
  masterKeyId: string | null;
  signsInSeconds: number;
}>(
  'signing-key-insert',
  `
    insert into playback_signing_key (kid, public_jwk, encrypted_private_jwk, master_key_id, created_at, signs_from)
    select :kid, :publicJwk, :encryptedPrivateJwk, :masterKeyId, c.now,
      case when exists (select from playback_signing_key) then c.now + :signsInSeconds * interval '1 second' else c.now end
    from (select service_now() as now offset 0) c`,
);

const removeDead = statement(
  'signing-key-remove-dead',
  `delete from playback_signing_key where verifies_until < service_now() - interval '1 day'`,
);

/**
 * The keys that sign and verify playback tokens, shared by all processes through the database.
 *
 * `open` loads them and creates the first one if there is none. They are reloaded every 15 seconds until `close`.
 */
export class SigningKeys {
  private byHeader: ReadonlyMap<string, SigningKey> = new Map();
  private newestFirst: readonly SigningKey[] = [];
  private loadedAtMs = 0;
  private loading: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly db: Database,
    private readonly keyring: Keyring,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * @param options.masterKey 32 bytes
   * @param options.previousMasterKeys earlier master keys, to read rows that they encrypted
   * @param options.onError called when a reload failed; the keys known so far stay in use
   */
  static async open(options: {
    db: Database;
    masterKey: Uint8Array;
    previousMasterKeys?: readonly Uint8Array[];
    clock: DatabaseClock;
    onError?: (error: unknown) => void;
  }): Promise<SigningKeys> {
    const { db, clock, masterKey: current, previousMasterKeys: previous = [] } = options;
    const keys = new SigningKeys(db, new Keyring({ current, previous }, 'playback-signing-key'), clock);
    await keys.reload();
    if (keys.newestFirst.length === 0) await keys.add({ onlyAsFirst: true });
    keys.timer = setInterval(() => {
      keys.reload().catch((error: unknown) => options.onError?.(error));
    }, RELOAD_EVERY_MS).unref();
    return keys;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /**
   * Publishes a new key that starts signing one minute later. The old key verifies until its last token has expired.
   */
  async rotate(): Promise<{ kid: string; signsFrom: Date }> {
    const kid = await this.add({ onlyAsFirst: false });
    const added = this.newestFirst.find((key) => key.kid === kid);
    if (!added) throw new Error('The new signing key could not be read back.');
    return { kid, signsFrom: new Date(added.signsFrom * 1000) };
  }

  /** Returns the key that signs at this time. Reloads first if the keys may be stale. */
  async signerAt(nowEpochSeconds: number): Promise<SigningKey> {
    if (performance.now() - this.loadedAtMs > STALE_AFTER_MS) await this.reload();
    return this.currentSigner(nowEpochSeconds) ?? Promise.reject(new Error('No playback signing key is in force.'));
  }

  /** Like `signerAt`, but returns `null` instead of waiting for a reload. */
  freshSignerAt(nowEpochSeconds: number): SigningKey | null {
    return performance.now() - this.loadedAtMs > STALE_AFTER_MS ? null : this.currentSigner(nowEpochSeconds);
  }

  /**
   * The key whose tokens begin with this encoded header. The header pins algorithm, type and key id together. Once the key
   * is no longer `inForce`, it verifies tokens of test mode only.
   */
  verifierOf(header: string): SigningKey | null {
    return this.byHeader.get(header) ?? null;
  }

  /** Whether the key verifies every token that it signed. */
  inForce(key: SigningKey): boolean {
    return isAlive(key, this.clock.nowEpochSeconds());
  }

  /** Reloads for a token that may be signed by a new key. Returns true if the keys were reloaded. */
  async reloadForUnknownKey(): Promise<boolean> {
    if (performance.now() - this.loadedAtMs < UNKNOWN_KID_RELOAD_MS) return false;
    await this.reload();
    return true;
  }

  /** Every key that verifies now, including the next one to sign. */
  publicKeys(): PublicJwk[] {
    return this.newestFirst.filter((key) => this.inForce(key)).map((key) => key.publicJwk);
  }

  /** Loads the keys now. Concurrent callers share one statement. */
  reload(): Promise<void> {
    this.loading ??= this.loadKeys().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  private currentSigner(nowEpochSeconds: number): SigningKey | null {
    return this.newestFirst.find((key) => key.signsFrom <= nowEpochSeconds) ?? this.newestFirst.at(-1) ?? null;
  }

  private async loadKeys(): Promise<void> {
    const rows = await execute(this.db.sql, load);
    const keys = rows.filter((row) => row.kid !== null).map((row) => this.opened(row));
    this.byHeader = new Map(keys.map((key) => [key.header, key]));
    this.newestFirst = keys.toReversed();
    this.loadedAtMs = performance.now();
    if (rows[0]) this.clock.observe(rows[0].now);
  }

  /** Decrypting a key is expensive, and only its times ever change, so reuse the decrypted key. */
  private opened(row: SigningKeyRow): SigningKey {
    const known = this.newestFirst.find((key) => key.kid === row.kid);
    if (!known) return openSigningKey(this.keyring, row);
    return { ...known, signsFrom: row.signs_from, verifiesUntil: row.verifies_until };
  }

  private async add({ onlyAsFirst }: { onlyAsFirst: boolean }): Promise<string> {
    const key = await generateSigningKey(this.keyring);
    await this.db.transaction(async ({ sql }) => {
      await takeProcessLock(sql, 'signingKeys');
      const known = await execute(sql, load);
      if (onlyAsFirst && known.some((row) => row.kid !== null)) return;
      await execute(sql, retire, {
        signsInSeconds: PUBLISHED_BEFORE_SIGNING_SECONDS,
        verifiesForSeconds: TOKEN_LIFETIME_SECONDS + VERIFY_MARGIN_SECONDS,
      });
      await execute(sql, insert, {
        kid: key.kid,
        publicJwk: JSON.stringify(key.public_jwk),
        encryptedPrivateJwk: key.encrypted_private_jwk,
        masterKeyId: key.master_key_id,
        signsInSeconds: PUBLISHED_BEFORE_SIGNING_SECONDS,
      });
      await execute(sql, removeDead);
    });
    // A load in flight may have begun before the commit.
    await this.loading?.catch(() => undefined);
    await this.reload();
    return key.kid;
  }
}

function isAlive(key: SigningKey, nowEpochSeconds: number): boolean {
  return key.verifiesUntil === null || key.verifiesUntil > nowEpochSeconds;
}

/** A page in order of `kid`, after the given one. */
export const SIGNING_KEYS_AFTER = statement<
  { kid: string; most: number },
  { kid: string; master_key_id: string | null; sealed: Buffer }
>(
  'rewrap-signing-keys',
  `
    select kid, master_key_id, encrypted_private_jwk as sealed from playback_signing_key
    where kid > :kid order by kid limit :most`,
);

/** Re-encrypts the key, unless it was changed meanwhile. */
export const REPLACE_SIGNING_KEY = statement<Resealed & { readonly kid: string }>(
  'rewrap-signing-key',
  `
    update playback_signing_key set master_key_id = :masterKeyId, encrypted_private_jwk = :sealed
    where encrypted_private_jwk = :before and kid = :kid
    returning 1 as done`,
);
