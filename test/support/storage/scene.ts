import pg from 'pg';

import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { StorageService } from '../../../src/domain/payments/storage/storage.service.js';
import { LEDGER_ACCOUNTS, type LedgerAccountName } from '../../../src/domain/ledger/ledgerAccounts.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { fundWallet } from '../accounts.js';
import { createTestDatabase, type TestDatabase } from '../database.js';

export const CREDIT = 1_000_000n;
export const GB = 1_000_000_000n;

export interface TestObject {
  bytes: bigint;
  /** Times as PostgreSQL reads them, in UTC. */
  storedAt: string;
  removedAt?: string | null;
  key?: string;
  videoId?: string;
}

/**
 * A database with a clock that can be set, in which the days before `firstDay` count as charged, and a person has
 * confirmed all nights, however late.
 */
export class StorageScene {
  readonly storage: StorageService;
  readonly wallet: WalletService;

  private constructor(
    readonly database: TestDatabase,
    /** With the service's role. */
    readonly db: PostgresDatabase,
    /** As the superuser. */
    readonly admin: pg.Pool,
  ) {
    this.storage = new StorageService(db);
    this.wallet = new WalletService(db);
  }

  static async open(firstDay: string): Promise<StorageScene> {
    const database = await createTestDatabase();
    await installVirtualClock(database.migrationUrl);
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 20 });
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2, options: '-c timezone=UTC' });
    admin.on('error', () => undefined);
    await admin.query('update storage_night set day = $1::date - 1', [firstDay]);
    await admin.query(`update service_clock set nights_confirmed_through = '9999-12-31'`);
    return new StorageScene(database, db, admin);
  }

  async close(): Promise<void> {
    await this.db.close();
    await this.admin.end();
    this.database.leaveUnproven(
      'credits are posted without a payment, and objects are added to days that were already charged',
    );
    await this.database.drop();
  }

  /** @param time such as `2027-03-01T00:15:00Z`; the clock runs from there. */
  setClock(time: string): Promise<void> {
    return setClockOffset(this.database.migrationUrl, Date.parse(time) - Date.now());
  }

  /** An account with these credits. */
  async account(credits: Partial<Record<LedgerAccountName, bigint>> = {}): Promise<string> {
    const accountId = newId();
    await this.admin.query('select open_account($1)', [accountId]);
    await this.fund([accountId], credits);
    return accountId;
  }

  /** Gives the same credits to many owners. */
  async fund(accountIds: readonly string[], credits: Partial<Record<LedgerAccountName, bigint>>): Promise<void> {
    for (const ownerId of accountIds) {
      for (const [name, micros] of Object.entries(credits) as [LedgerAccountName, bigint][]) {
        await fundWallet(this.db, ownerId, { [name]: micros });
      }
    }
  }

  /** Like `fund`, for thousands in one statement: rows as `post` would write them for new accounts. */
  async fundAll(accountIds: readonly string[], credits: Partial<Record<LedgerAccountName, bigint>>): Promise<void> {
    const total = Object.values(credits).reduce((sum, micros) => sum + micros, 0n);
    const legs = [...Object.entries(credits), ['ADJUSTMENT', -total] as const];
    await this.admin.query(
      `with leg as (
         select o.id, gen_random_uuid() as tx_id, l.no, l.delta, service_now() as now
         from unnest($1::uuid[]) o(id), unnest($2::smallint[], $3::bigint[]) l(no, delta)
       ), one as (
         select id, no, delta, min(tx_id::text) over (partition by id)::uuid as tx_id,
           min(now) over (partition by id) as now from leg
       ), tx as (
         insert into ledger_tx (owner_id, type, idempotency_key, tx_id, request_hash, created_at)
         select distinct id, 'ADJUSTMENT', 'test:funds', tx_id, ''::bytea, now from one
       ), account as (
         update ledger_account a set balance = balance + delta, version = version + 1 from one
         where owner_id = id and account_no = no returning owner_id, account_no, version, tx_id, delta, balance, now
       )
       insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
       select * from account`,
      [accountIds, legs.map(([name]) => LEDGER_ACCOUNTS[name as LedgerAccountName]), legs.map(([, micros]) => micros)],
    );
  }

  async store(accountId: string, ...objects: TestObject[]): Promise<void> {
    for (const object of objects) {
      const videoId = object.videoId ?? newId();
      await this.admin.query(
        `insert into stored_object (account_id, key, video_id, size_bytes, stored_at, removed_at, swept_at)
         values ($1, $2, $3, $4, $5, $6, $6)`,
        [
          accountId,
          object.key ?? `sources/${accountId}/${videoId}/${newId()}`,
          videoId,
          object.bytes,
          object.storedAt,
          object.removedAt ?? null,
        ],
      );
    }
  }

  run(signal: AbortSignal = new AbortController().signal) {
    return this.storage.runDueNights(signal);
  }

  /** An owner's charged days as text, with every column but the time. */
  async days(accountId: string): Promise<Record<string, string>[]> {
    const { rows } = await this.admin.query<Record<string, string>>(
      `select day::text, bytes::text, charged_micros::text as charged, remainder::text,
         from_cloud_micros::text as cloud, drawn_micros::text as drawn, arrears_micros::text as arrears
       from storage_day where account_id = $1 order by day`,
      [accountId],
    );
    return rows;
  }

  /** Faults of the books, and days whose row differs from their posting. */
  async faults(): Promise<unknown[]> {
    const report = await verifyLedger(this.db);
    // Tests give credits without a fact, and store objects into days already charged.
    const faults = report.faults.filter(
      ({ subject, found }) => !subject.startsWith('test:') && found !== 'not charged',
    );
    const { rows } = await this.admin.query(`
      with posted as (
        select t.owner_id as account_id, t.reference::date as day,
          sum(e.delta) filter (where e.account_no = 62) as charged,
          -coalesce(sum(e.delta) filter (where e.account_no = 2), 0) as cloud,
          -coalesce(sum(e.delta) filter (where e.account_no = 1), 0) as master,
          -coalesce(sum(e.delta) filter (where e.account_no = 50), 0) as arrears
        from ledger_tx t join ledger_entry e on e.owner_id = t.owner_id and e.tx_id = t.tx_id
        where t.type = 'STORAGE' group by 1, 2
      )
      select * from posted p full join (select * from storage_day where charged_micros > 0) d using (account_id, day)
      where (p.charged, p.cloud, p.master, p.arrears)
        is distinct from (d.charged_micros, d.from_cloud_micros, d.from_master_micros, d.arrears_micros)`);
    return [...faults, ...rows];
  }
}
