import { randomBytes } from 'node:crypto';

import { type Database, execute, type NoParams, type Sql, statement, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { MoveError, type ArchiveWriter, type Scratch } from '../../../ports/accountArchive.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { MOVED_ACCOUNT } from '../../accounts/movedAccount.sql.js';
import { formatCredits } from '../../ledger/credits.js';
import { WalletService } from '../../ledger/wallet.service.js';
import { LIVE_GROUP, OPEN_MOVED_GROUPS } from '../../media/movedTables.js';
import type { StatementService } from '../../payments/billing/statement.service.js';
import { statementCsv } from '../../payments/billing/statementCsv.js';
import { recordAudit } from '../../shared/audit.js';
import { isUuid, newId } from '../../shared/ids.js';
import { CLOSE_MOVED, type MovedTable } from '../../shared/movedTable.js';
import { holdStore } from '../../shared/processLock.js';
import { Keyring, type MasterKeys } from '../../shared/secrets/keyring.js';
import { batchesOf, FORMAT, type Header, type MovedAccount, OBJECTS, STATEMENTS, VERSION } from './archiveFormat.js';
import type { ExportKey } from './exportKey.js';
import { ManifestWriter, type PagePosition } from './manifestWriter.js';
import { MOVED, type SealedRow } from './movedTables.js';
import { SALT_BYTES, SecretBox } from './secretBox.js';

export interface ExportDeps {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly masterKeys: MasterKeys;
  readonly statements: StatementService;
  readonly key: ExportKey;
  /** The address of this service. */
  readonly origin: string;
}

export interface ExportOrder {
  readonly accountId: string;
  /** `null` for an account without secrets. */
  readonly passphrase: string | null;
  readonly archive: ArchiveWriter;
  readonly scratch: Scratch;
  /** Where an earlier try ended; the archive and the scratch files are as they were then. */
  readonly resume?: ExportState | null;
  /** Called when the archive can be continued from here. */
  readonly onCheckpoint?: (state: ExportState) => Promise<void>;
  /** Default: as many as a page may have. */
  readonly entriesPerPage?: number;
  readonly onProgress?: (report: ExportReport) => void;
}

/** What a later try must know. */
export interface ExportState {
  readonly accountId: string;
  readonly publicKey: string;
  readonly archiveId: string;
  readonly position: PagePosition;
  /** The last object that was written; empty before the first. */
  readonly lastKey: string;
  readonly rows: number;
  readonly objects: number;
  readonly bytes: number;
  readonly balanceMicros: string;
}

export interface ExportReport {
  readonly archiveId: string;
  readonly rows: number;
  readonly objects: number;
  readonly bytes: number;
  readonly balanceMicros: bigint;
}

/** All rows are read at one instant, however long that takes, while the account is in use. */
const ONE_INSTANT = { isSnapshot: true } as const;
const UNHURRIED = statement(
  'export-timeouts',
  `select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
);
const FETCH_GROUPS = statement<NoParams, { line: string }>('moved-fetch-groups', 'fetch forward 1000 from moved');

/** What the passphrase's check is sealed for. */
export const CHECK_PLACE = 'check';
const GROUPS = 'groups';
const PROGRESS_EVERY = 100;

/**
 * Writes everything that moves with an account to an archive, also while the account is in use. Nothing is deleted from
 * the store meanwhile, so it has every object that the rows name.
 *
 * @throws MoveError; then the archive is not complete
 */
export function exportAccount(deps: ExportDeps, order: ExportOrder): Promise<ExportReport> {
  // Secrets are sealed for places that name the account, in lower case.
  const accountId = order.accountId.toLowerCase();
  return holdStore(deps.db, () => new Export(deps, { ...order, accountId }).run());
}

class Export {
  private archiveId = newId();
  private lastKey = '';
  private rows = 0;
  private objects = 0;
  private bytes = 0;
  private balanceMicros = 0n;

  constructor(
    private readonly deps: ExportDeps,
    private readonly order: ExportOrder,
  ) {}

  async run(): Promise<ExportReport> {
    if (!isUuid(this.order.accountId)) throw notFound();
    // Before anything is written: an account that cannot move leaves no file.
    await this.deps.db.transaction((tx) => this.account(tx));
    const manifest = this.order.resume ? this.resume(this.order.resume) : await this.begin();
    if (this.order.entriesPerPage !== undefined) manifest.entriesPerPage = this.order.entriesPerPage;
    await this.exportObjects(manifest);
    await this.recordExport();
    await manifest.end();
    return this.report();
  }

  /** @throws MoveError if it is the state of another export */
  private resume(state: ExportState): ManifestWriter {
    const { archive, accountId } = this.order;
    const { key } = this.deps;
    if (state.accountId !== accountId || state.publicKey !== key.publicKey) {
      throw new MoveError('ACCOUNT_NOT_MOVABLE', 'The unfinished archive there is of another export. Remove it first.');
    }
    ({ archiveId: this.archiveId, rows: this.rows, objects: this.objects, bytes: this.bytes } = state);
    this.lastKey = state.lastKey;
    this.balanceMicros = BigInt(state.balanceMicros);
    return ManifestWriter.resume(archive, key, state.archiveId, state.position);
  }

  /** Writes everything but the objects. */
  private async begin(): Promise<ManifestWriter> {
    const { archive } = this.order;
    const salt = randomBytes(SALT_BYTES);
    const box = this.order.passphrase === null ? null : await SecretBox.open(this.order.passphrase, salt);
    const manifest = await ManifestWriter.begin(archive, this.deps.key, this.header(salt, box));
    await this.deps.db.transaction(async (tx) => {
      await execute(tx.sql, UNHURRIED);
      await this.exportRows(tx, manifest, box);
    }, ONE_INSTANT);
    await this.exportStatements(manifest);
    await manifest.endPage();
    await this.checkpoint(manifest);
    return manifest;
  }

  /** After a page: a later try can continue here. */
  private async checkpoint({ position }: ManifestWriter): Promise<void> {
    if (position === null || !this.order.onCheckpoint) return;
    await this.order.archive.flush();
    const { archiveId, lastKey, rows, objects, bytes, balanceMicros } = this;
    await this.order.onCheckpoint({
      accountId: this.order.accountId,
      publicKey: this.deps.key.publicKey,
      archiveId,
      position,
      lastKey,
      rows,
      objects,
      bytes,
      balanceMicros: balanceMicros.toString(),
    });
  }

  private async recordExport(): Promise<void> {
    await this.deps.db.transaction((tx) =>
      recordAudit(tx, {
        accountId: this.order.accountId,
        actorId: null,
        action: 'account.export',
        subject: this.archiveId,
        reason: 'command line',
        details: { objects: this.objects, balance: formatCredits(this.balanceMicros) },
      }),
    );
  }

  private report(): ExportReport {
    const { archiveId, rows, objects, bytes, balanceMicros } = this;
    return { archiveId, rows, objects, bytes, balanceMicros };
  }

  private header(salt: Buffer, box: SecretBox | null): Header {
    const check = box?.seal(randomBytes(SALT_BYTES), CHECK_PLACE);
    return {
      format: FORMAT,
      version: VERSION,
      archiveId: this.archiveId,
      accountId: this.order.accountId,
      origin: this.deps.origin,
      exportedAt: new Date().toISOString(),
      publicKey: this.deps.key.publicKey,
      secrets: check ? { salt: salt.toString('base64'), check: check.toString('base64') } : null,
    };
  }

  /** @throws MoveError if it cannot move */
  private async account({ sql, em }: Transaction): Promise<MovedAccount> {
    const { accountId } = this.order;
    const [row] = await execute(sql, MOVED_ACCOUNT, { accountId });
    if (!row) throw notFound();
    if (row.is_test) {
      throw new MoveError(
        'ACCOUNT_NOT_MOVABLE',
        'This is a test account. Export its live account; test mode does not move.',
      );
    }
    if (row.email === null)
      throw new MoveError('ACCOUNT_NOT_MOVABLE', 'This account has no user, so nobody could sign in.');
    if (row.is_closed) {
      throw new MoveError(
        'ACCOUNT_NOT_MOVABLE',
        'This account is closed, and its credits are refunded here. Its owner must reopen it first.',
      );
    }
    const wallet = new WalletService({ sql, em, transaction: (work) => work({ sql, em }) });
    const { MASTER, CLOUD, AI, CREATIVE, ESCROW, DEBT } = await wallet.balances(accountId);
    const balanceMicros = MASTER + CLOUD + AI + CREATIVE + ESCROW + DEBT;
    if (balanceMicros < 0n) {
      const owed = formatCredits(-balanceMicros);
      throw new MoveError(
        'ACCOUNT_IN_DEBT',
        `This account owes ${owed} credits more than it has. It must pay them first.`,
      );
    }
    return {
      email: row.email,
      name: row.name ?? '',
      emailVerified: row.email_verified ?? false,
      allowedDomains: row.allowed_domains,
      balanceMicros: balanceMicros.toString(),
    };
  }

  private async exportRows(tx: Transaction, manifest: ManifestWriter, box: SecretBox | null): Promise<void> {
    const account = await this.account(tx);
    this.balanceMicros = BigInt(account.balanceMicros);
    await manifest.addBytes(rowsName('account', 1), Buffer.from(`${JSON.stringify(account)}\n`));
    for (const { table, secret } of MOVED) {
      const keyring = secret && new Keyring(this.deps.masterKeys, secret.purpose);
      const leave = (line: string): string => {
        if (!secret || !keyring) return line;
        const row = JSON.parse(line) as SealedRow;
        return JSON.stringify(this.resealed(row, keyring, box, secret.contextOf(this.order.accountId, row as never)));
      };
      let page = 0;
      for await (const lines of batchesOf(this.lines(tx.sql, table, leave))) {
        page += 1;
        await manifest.addBytes(rowsName(table.name, page), Buffer.from(lines.map((line) => `${line}\n`).join('')));
        this.rows += lines.length;
        this.order.onProgress?.(this.report());
      }
    }
    for await (const groups of this.fetched(tx.sql, { open: OPEN_MOVED_GROUPS, fetch: FETCH_GROUPS })) {
      await this.order.scratch.append(GROUPS, groups);
    }
  }

  private async *lines(sql: Sql, table: MovedTable, leave: (line: string) => string): AsyncGenerator<string> {
    for await (const lines of this.fetched(sql, table)) yield* lines.map(leave);
  }

  /** What a cursor over the account finds, some lines at a time. */
  private async *fetched(sql: Sql, { open, fetch }: Pick<MovedTable, 'open' | 'fetch'>): AsyncGenerator<string[]> {
    await execute(sql, open, { accountId: this.order.accountId });
    for (;;) {
      const rows = await execute(sql, fetch);
      if (rows.length === 0) break;
      yield rows.map(({ line }) => line);
    }
    await execute(sql, CLOSE_MOVED);
  }

  private resealed(row: SealedRow, keyring: Keyring, box: SecretBox | null, place: string): SealedRow {
    if (box === null) {
      throw new MoveError(
        'PASSPHRASE_MISSING',
        'This account has encrypted videos or webhook secrets. Give a passphrase for them: --passphrase-file FILE',
      );
    }
    const sealed = Buffer.from(row.sealed.slice(2), 'hex');
    const secret = keyring.open({ masterKeyId: row.master_key_id, sealed }, place);
    return { ...row, master_key_id: '', sealed: `\\x${box.seal(secret, place).toString('hex')}` };
  }

  /** For the owner's own books. */
  private async exportStatements(manifest: ManifestWriter): Promise<void> {
    const { statements } = this.deps;
    const { accountId } = this.order;
    const { signal } = new AbortController();
    for (const { month } of await statements.months(accountId)) {
      const name = `statement-${month}`;
      let sizeBytes = 0;
      for await (const text of statementCsv(await statements.open(accountId, month), signal)) {
        const lines = text.endsWith('\n') ? text.slice(0, -1) : text;
        sizeBytes += Buffer.byteLength(lines) + 1;
        await this.order.scratch.append(name, [lines]);
      }
      await manifest.add(`${STATEMENTS}${month}.csv`, sizeBytes, bytesOf(this.order.scratch.lines(name)));
    }
  }

  private async exportObjects(manifest: ManifestWriter): Promise<void> {
    for await (const key of this.remainingKeys()) {
      const object = await this.deps.store.get(key);
      if (object === null) throw missing(key);
      await manifest.add(OBJECTS + key, object.info.sizeBytes, object.body);
      this.lastKey = key;
      this.objects += 1;
      this.bytes += object.info.sizeBytes;
      if (this.objects % PROGRESS_EVERY === 0) this.order.onProgress?.(this.report());
      await this.checkpoint(manifest);
    }
  }

  /** The keys after the last one, in the order of the groups. */
  private async *remainingKeys(): AsyncGenerator<string> {
    let after = this.lastKey;
    for await (const group of this.order.scratch.lines(GROUPS)) {
      if (after !== '' && group !== after && !(group.endsWith('/') && after.startsWith(group))) continue;
      // Deletions are held while an export runs, but not between two tries.
      if (this.order.resume && !(await this.isLive(group))) throw deletedMeanwhile(group);
      if (!group.endsWith('/')) {
        if (group !== after) yield group;
        after = '';
        continue;
      }
      let found = 0;
      for await (const { key } of this.deps.store.list(group)) {
        found += 1;
        if (after === '') yield key;
        else if (key === after) after = '';
      }
      if (found === 0 || after !== '') throw missing(after === '' ? group : after);
    }
    if (after !== '') throw missing(after);
  }

  private async isLive(group: string): Promise<boolean> {
    const { accountId } = this.order;
    return (await execute(this.deps.db.sql, LIVE_GROUP, { accountId, group })).length > 0;
  }
}

function rowsName(table: string, page: number): string {
  return `rows/${table}/${String(page).padStart(6, '0')}.ndjson`;
}

async function* bytesOf(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(`${line}\n`);
}

function missing(key: string): MoveError {
  return new MoveError(
    'OBJECT_MISSING',
    `The store does not have ${key}, which the account's rows name. Run dhara doctor.`,
  );
}

function deletedMeanwhile(group: string): MoveError {
  const message = `${group} was deleted since this export began. Remove the unfinished archive and export again.`;
  return new MoveError('OBJECT_MISSING', message);
}

function notFound(): AppError {
  return new AppError('ACCOUNT_NOT_FOUND', 'No account has this id.');
}
