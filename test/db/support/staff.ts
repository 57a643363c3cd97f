import pg from 'pg';

import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { AccountService } from '../../../src/domain/accounts/account.service.js';
import { AdjustmentService } from '../../../src/domain/operations/support/adjustment.service.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { addUser } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

export const CREDIT = 1_000_000n;
const LIMIT_CREDITS = 1000n;

/** A support desk of its own: people, wallets, and the audit trail. */
export class Desk {
  private constructor(
    readonly database: TestDatabase,
    readonly db: PostgresDatabase,
    readonly admin: pg.Pool,
    readonly wallet: WalletService,
    readonly adjustments: AdjustmentService,
    readonly accounts: AccountService,
  ) {}

  static async open(): Promise<Desk> {
    const database = await createTestDatabase();
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 20 });
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
    admin.on('error', () => undefined);
    const wallet = new WalletService(db);
    const accounts = new AccountService({ db });
    const limitMicros = LIMIT_CREDITS * CREDIT;
    return new Desk(
      database,
      db,
      admin,
      wallet,
      new AdjustmentService({ db, accounts, wallet, limitMicros }),
      accounts,
    );
  }

  /** A member of staff. */
  async colleague(): Promise<string> {
    const id = await this.person();
    await this.admin.query(`update account set role = 'support' where id = $1`, [id]);
    return id;
  }

  /** A user with an account. */
  person(): Promise<string> {
    return addUser(this.db.sql);
  }

  async master(accountId: string): Promise<bigint> {
    return (await this.wallet.balances(accountId)).MASTER / CREDIT;
  }

  async trail(accountId: string): Promise<string[]> {
    const { rows } = await this.admin.query<{ line: string }>(
      `select action || ' ' || (details->>'amount') as line from audit_entry where account_id = $1 order by created_at`,
      [accountId],
    );
    return rows.map((row) => row.line);
  }

  async clockAfter(hours: number): Promise<void> {
    await installVirtualClock(this.database.migrationUrl);
    await setClockOffset(this.database.migrationUrl, hours * 3_600_000);
  }

  async close(): Promise<void> {
    await this.db.close();
    await this.admin.end();
    await this.database.drop();
  }
}
