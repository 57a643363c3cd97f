import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

import { type Database, execute, type Transaction, statement } from '../../../db/sql.js';
import { MoveError, type ArchiveEntry, type ArchiveReader, type Scratch } from '../../../ports/accountArchive.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { ADD_USER, SET_MOVED_ACCOUNT, TAKEN } from '../../accounts/movedAccount.sql.js';
import { formatCredits } from '../../ledger/credits.js';
import type { WalletService } from '../../ledger/wallet.service.js';
import { FOREIGN_PLACES } from '../../media/movedTables.js';
import { recordAudit } from '../../shared/audit.js';
import { holdStore, ifProcessLockIsFree } from '../../shared/processLock.js';
import { Keyring, type MasterKeys } from '../../shared/secrets/keyring.js';
import {
  AccountShape,
  batchesOf,
  type Header,
  MAX_LINE_BYTES,
  MAX_ROWS_BYTES,
  type MovedAccount,
  OBJECTS,
  parseJson,
  readSmall,
  shownPath,
  STATEMENTS,
} from './archiveFormat.js';
import { CHECK_PLACE } from './exportAccount.js';
import { ManifestReader } from './manifestReader.js';
import { MOVED, type SealedRow } from './movedTables.js';
import { SecretBox } from './secretBox.js';

const IMPORT_OF_ARCHIVE = statement<{ archiveId: string }, { account_id: string; imported_at: string }>(
  'account-import-find',
  'select account_id, imported_at from account_import where archive_id = :archiveId',
);

const INSERT_IMPORT = statement<{
  accountId: string;
  archiveId: string;
  origin: string;
  exportedAt: string;
  amountMicros: string;
  txId: string | null;
}>(
  'account-import-insert',
  `
    insert into account_import (account_id, archive_id, origin, exported_at, amount_micros, tx_id, imported_at)
    values (:accountId, :archiveId, :origin, :exportedAt, :amountMicros, :txId, service_now())`,
);

export interface ImportDeps {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly masterKeys: MasterKeys;
  readonly wallet: WalletService;
}

export interface ImportOrder {
  readonly archive: ArchiveReader;
  /** The public key of the service that exported it: `ed25519:…`. */
  readonly trustedKey: string;
  readonly passphrase: string | null;
  readonly scratch: Scratch;
  readonly onProgress?: (report: ImportReport) => void;
}

export interface ImportReport {
  readonly header: Header;
  readonly rows: number;
  readonly objects: number;
  /** Those of them that an earlier try had brought. */
  readonly objectsThere: number;
  readonly bytes: number;
  readonly balanceMicros: bigint;
}

const ROWS = /^rows\/([a-z_]{1,40})\/\d{6}\.ndjson$/;
const STATEMENT = /^\d{4}-\d{2}\.csv$/;
/** The form of every key of a video; the account is compared. */
const OBJECT =
  /^(?:posters|sources|videos)\/([0-9a-f-]{36})\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}){1,6}$/;
const ROWS_PER_INSERT = 500;
const PUT = 'put';
const PROGRESS_EVERY = 100;

/**
 * Brings an account from an archive of another service. Its files are stored first, where nothing names them; its rows
 * and its credits come in one transaction when the whole archive is proven. So it is there completely or not at all. A
 * try that was killed is continued by the next, and what no try continues is removed by the nightly walk over the store.
 *
 * @throws MoveError; then everything that this try stored is removed
 */
export async function importAccount(deps: ImportDeps, order: ImportOrder): Promise<ImportReport> {
  const report = await ifProcessLockIsFree(deps.db, 'accountImport', () =>
    holdStore(deps.db, async () => {
      const manifest = await ManifestReader.begin(order.archive, order.trustedKey);
      try {
        return await new Import(deps, order, manifest).run();
      } finally {
        await manifest.close();
      }
    }),
  );
  if (report === null) throw new MoveError('IMPORT_RUNNING', 'Another import is running.');
  return report;
}

class Import {
  private rows = 0;
  private objects = 0;
  private objectsThere = 0;
  private bytes = 0;
  private account: MovedAccount | null = null;
  private readonly accountId: string;

  constructor(
    private readonly deps: ImportDeps,
    private readonly order: ImportOrder,
    private readonly manifest: ManifestReader,
  ) {
    this.accountId = manifest.header.accountId;
  }

  async run(): Promise<ImportReport> {
    const box = await this.openBox();
    await this.refuseKnownArchive();
    try {
      for await (const entry of this.manifest.entries()) await this.take(entry);
      await this.deps.db.transaction((tx) => this.arrive(tx, box)).catch(explained);
    } catch (error) {
      if (error instanceof MoveError) await this.removeStored();
      throw error;
    }
    return this.report();
  }

  private report(): ImportReport {
    const { rows, objects, objectsThere, bytes } = this;
    const balanceMicros = BigInt(this.account?.balanceMicros ?? 0);
    return { header: this.manifest.header, rows, objects, objectsThere, bytes, balanceMicros };
  }

  /** At once, so that a wrong passphrase is not found after hours. */
  private async openBox(): Promise<SecretBox | null> {
    const { secrets } = this.manifest.header;
    if (secrets === null) return null;
    if (this.order.passphrase === null) {
      throw new MoveError(
        'PASSPHRASE_MISSING',
        'This archive has secrets. Give its passphrase: --passphrase-file FILE',
      );
    }
    const box = await SecretBox.open(this.order.passphrase, Buffer.from(secrets.salt, 'base64'));
    box.unseal(Buffer.from(secrets.check, 'base64'), CHECK_PLACE);
    return box;
  }

  private async refuseKnownArchive(): Promise<void> {
    const { archiveId } = this.manifest.header;
    const [known] = await execute(this.deps.db.sql, IMPORT_OF_ARCHIVE, { archiveId });
    if (known) {
      const day = new Date(known.imported_at).toISOString().slice(0, 10);
      throw new MoveError('ALREADY_IMPORTED', `This archive was imported on ${day}, and no archive is imported twice.`);
    }
    await this.refuseTaken('');
  }

  /** @param email empty if it is not known yet */
  private async refuseTaken(email: string): Promise<void> {
    const [taken] = await execute(this.deps.db.sql, TAKEN, { accountId: this.accountId, email });
    if (taken?.account) throw new MoveError('TAKEN', `The account ${this.accountId} exists here already.`);
    if (taken?.email) throw new MoveError('TAKEN', `A user with the email address ${email} exists here already.`);
  }

  private async take(entry: ArchiveEntry): Promise<void> {
    const [, table] = ROWS.exec(entry.path) ?? [];
    if (table !== undefined) return this.takeRows(table, entry);
    if (entry.path.startsWith(OBJECTS)) return this.takeObject(entry.path.slice(OBJECTS.length), entry);
    if (!entry.path.startsWith(STATEMENTS) || !STATEMENT.test(entry.path.slice(STATEMENTS.length))) {
      throw new MoveError('ARCHIVE_REFUSED', `${shownPath(entry.path)} has no place in an archive of an account.`);
    }
    // Statements are for the owner's own books.
    for await (const _ of entry.body);
  }

  private async takeRows(table: string, entry: ArchiveEntry): Promise<void> {
    if (table !== 'account' && !MOVED.some((moved) => moved.table.name === table)) {
      throw new MoveError('ARCHIVE_REFUSED', `${shownPath(entry.path)} has rows of a table that does not move.`);
    }
    const bytes = await readSmall(entry, MAX_ROWS_BYTES);
    const lines = bytes.toString('utf8').split('\n');
    if (lines.pop() !== '' || lines.some((line) => !line.startsWith('{') || line.length > MAX_LINE_BYTES)) {
      throw new MoveError('ARCHIVE_REFUSED', `${shownPath(entry.path)} has a line that is too long, or no row.`);
    }
    if (table === 'account') return this.takeAccount(lines);
    this.rows += lines.length;
    await this.order.scratch.append(table, lines);
  }

  private async takeAccount([line = '', ...others]: readonly string[]): Promise<void> {
    const account = AccountShape.safeParse(parseJson(Buffer.from(line)));
    if (!account.success || others.length > 0 || this.account !== null) {
      throw new MoveError('ARCHIVE_REFUSED', 'The archive has no proper row of its account.');
    }
    this.account = account.data;
    await this.refuseTaken(this.account.email);
  }

  private async takeObject(key: string, { path, sizeBytes, body }: ArchiveEntry): Promise<void> {
    if (OBJECT.exec(key)?.[1] !== this.accountId) {
      throw new MoveError('ARCHIVE_REFUSED', `${shownPath(path)} is no place for a file of this account.`);
    }
    const { store } = this.deps;
    const there = await store.head(key);
    if (there === null) {
      const freeBytes = await store.freeBytes();
      if (sizeBytes > freeBytes) {
        throw new MoveError(
          'STORE_FULL',
          `${shownPath(path)} has ${sizeBytes} bytes, and the store has ${freeBytes} left.`,
        );
      }
      await this.order.scratch.append(PUT, [key]);
      await store.put(key, Readable.from(body), { sizeBytes });
    } else {
      await this.compare(key, path, there.sizeBytes === sizeBytes, body);
      this.objectsThere += 1;
    }
    this.objects += 1;
    this.bytes += sizeBytes;
    if (this.objects % PROGRESS_EVERY === 0) this.order.onProgress?.(this.report());
  }

  /** What an earlier try has brought stays. Nothing is overwritten. */
  private async compare(
    key: string,
    path: string,
    hasSameSize: boolean,
    body: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const brought = await digestOf(body);
    const stored = hasSameSize ? await this.deps.store.get(key) : null;
    if (stored === null || !brought.equals(await digestOf(stored.body))) {
      throw new MoveError(
        'TAKEN',
        `The store has another file in the place of ${shownPath(path)}. Nothing was overwritten.`,
      );
    }
  }

  private async removeStored(): Promise<void> {
    for await (const key of this.order.scratch.lines(PUT)) await this.deps.store.delete(key);
  }

  private async arrive(tx: Transaction, box: SecretBox | null): Promise<void> {
    const { sql } = tx;
    const { accountId, account } = this;
    if (account === null) throw new MoveError('ARCHIVE_REFUSED', 'The archive has no row of its account.');
    const { email, name, emailVerified, allowedDomains } = account;
    await execute(sql, ADD_USER, { accountId, email, name, emailVerified });
    await execute(sql, SET_MOVED_ACCOUNT, { accountId, allowedDomains });
    for (const { table, secret } of MOVED) {
      const keyring = secret && new Keyring(this.deps.masterKeys, secret.purpose);
      const settle = (line: string): string => {
        if (!secret || !keyring) return line;
        const row = JSON.parse(line) as SealedRow;
        return JSON.stringify(resealed(row, keyring, box, secret.contextOf(accountId, row as never)));
      };
      for await (const lines of batchesOf(this.order.scratch.lines(table.name), ROWS_PER_INSERT)) {
        await execute(sql, table.insert, { accountId, rows: `[${lines.map(settle).join(',')}]` });
      }
    }
    const [foreign] = await execute(sql, FOREIGN_PLACES, { accountId });
    if (foreign)
      throw new MoveError('ARCHIVE_REFUSED', `A row names ${shownPath(foreign.place)}, which is not its own.`);
    await this.receiveCredits(tx);
  }

  private async receiveCredits(tx: Transaction): Promise<void> {
    const { accountId } = this;
    const { archiveId, origin, exportedAt } = this.manifest.header;
    const amountMicros = BigInt(this.account!.balanceMicros);
    const reason = `Moved from ${origin}: account ${accountId}, archive ${archiveId}`;
    const posted =
      amountMicros === 0n
        ? null
        : await this.deps.wallet.adjust(tx.sql, accountId, {
            amountMicros,
            reason,
            idempotencyKey: `import:${archiveId}`,
          });
    const txId = posted?.txId ?? null;
    await execute(tx.sql, INSERT_IMPORT, {
      accountId,
      archiveId,
      origin,
      exportedAt,
      amountMicros: amountMicros.toString(),
      txId,
    });
    const details = { origin, amount: formatCredits(amountMicros), ...(txId === null ? {} : { transaction: txId }) };
    const action = 'account.import';
    await recordAudit(tx, { accountId, actorId: null, action, subject: archiveId, reason: 'command line', details });
  }
}

function resealed(row: SealedRow, keyring: Keyring, box: SecretBox | null, place: string): SealedRow {
  if (box === null) throw new MoveError('ARCHIVE_REFUSED', 'The archive has secrets and no passphrase for them.');
  const secret = box.unseal(Buffer.from(row.sealed.slice(2), 'hex'), place);
  const { masterKeyId, sealed } = keyring.seal(secret, place);
  return { ...row, master_key_id: masterKeyId, sealed: `\\x${sealed.toString('hex')}` };
}

async function digestOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of body) hash.update(chunk);
  return hash.digest();
}

/** SQLSTATE classes of rows that a table refuses: wrong data, and broken constraints. */
const REFUSED_ROW = /^(?:22|23)/;
const UNIQUE = '23505';

/** @throws MoveError for a row that a table refuses; otherwise the same error */
function explained(error: unknown): never {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && REFUSED_ROW.test(error.code)) {
    const table = 'table' in error && typeof error.table === 'string' ? error.table : 'row';
    throw error.code === UNIQUE
      ? new MoveError('TAKEN', `A ${table} of this archive exists here already.`, { cause: error })
      : new MoveError('ARCHIVE_REFUSED', `A ${table} of this archive is not valid here.`, { cause: error });
  }
  throw error;
}
