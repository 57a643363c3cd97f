import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import { FileSealArchive } from '../../../src/adapters/seals/fileSealArchive.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { LedgerAudit } from '../../../src/domain/ledger/seals/ledgerAudit.js';
import type { SealHead } from '../../../src/ports/sealArchive.js';
import { post } from '../../../src/domain/ledger/posting.js';
import { openFundedAccount } from '../accounts.js';
import { createTestDatabase, type TestDatabase } from '../database.js';
import { WAIT_MS } from '../deadlines.js';

/** A ledger with an archive, and an attacker who owns the tables. */
export class Books {
  private constructor(
    readonly database: TestDatabase,
    readonly db: PostgresDatabase,
    readonly admin: pg.Pool,
    readonly dir: string,
    readonly archive: FileSealArchive,
    readonly audit: LedgerAudit,
  ) {}

  static async open(): Promise<Books> {
    const database = await createTestDatabase();
    const db = await PostgresDatabase.connect({
      url: database.runtimeUrl,
      maxConnections: 8,
      connectTimeoutMs: WAIT_MS,
    });
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
    admin.on('error', () => undefined);
    const dir = await mkdtemp(join(tmpdir(), 'dhara-seals-'));
    const archive = new FileSealArchive({ dir: join(dir, 'seals') });
    return new Books(database, db, admin, dir, archive, new LedgerAudit({ db, archive }));
  }

  /** The heads in the order in which they were appended. */
  async heads(): Promise<SealHead[]> {
    const records = await this.archive.records();
    return records.flatMap((record) => ('head' in record ? record.head : []));
  }

  get archiveFile(): string {
    return join(this.dir, 'seals', 'ledger-seals.jsonl');
  }

  /** An owner with `postings` postings: one that funds MASTER, the others from MASTER to CLOUD. */
  async owner(postings: number): Promise<string> {
    const ownerId = await openFundedAccount(this.db, { masterMicros: 1_000_000n });
    await this.book(ownerId, postings - 1);
    return ownerId;
  }

  async book(ownerId: string, postings: number): Promise<void> {
    for (let n = 0; n < postings; n += 1) {
      await post(this.db.sql, {
        ownerId,
        type: 'ALLOCATION',
        idempotencyKey: `allocation:move:${ownerId}:${(this.#moves += 1)}`,
        deltas: { MASTER: -1n, CLOUD: 1n },
        metadata: { n: String(n), note: 'ü' },
      });
    }
  }
  #moves = 0;

  /** Rewrites history as the owner of the tables, without triggers. */
  async tamper(...statements: string[]): Promise<void> {
    await this.admin.query(`begin; set local session_replication_role = replica; ${statements.join('; ')}; commit`);
  }

  async clockAt(iso: string): Promise<void> {
    await installVirtualClock(this.database.migrationUrl);
    await setClockOffset(this.database.migrationUrl, Date.parse(iso) - Date.now());
  }

  async faults(): Promise<string[]> {
    const { faults } = await this.audit.verify();
    return faults.map(({ check, ownerId, subject }) => `${check} ${ownerId} ${subject}`);
  }

  /** The faults that the seals find. */
  async sealFaults(): Promise<string[]> {
    return (await this.faults()).filter((fault) => fault.startsWith('seal-'));
  }

  async close(): Promise<void> {
    await this.db.close();
    await this.admin.end();
    this.database.leaveUnproven('the past is rewritten');
    await this.database.drop();
    await rm(this.dir, { recursive: true });
  }
}
