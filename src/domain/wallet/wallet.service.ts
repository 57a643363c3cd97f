import type { Database, Sql, Statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import {
  FIRST_COMPANY_ACCOUNT_NO,
  ledgerAccountName,
  type LedgerAccountName,
  type SpendableAccount,
} from './ledgerAccounts.js';
import { post, type LedgerTxType, type PostedTx } from './posting.js';

/** Micro-credits per account the owner sees. DEBT is zero or negative. */
export type Balances = Readonly<Record<LedgerAccountName, bigint>>;

/** One line of the owner's statement. */
export interface LedgerLine {
  /** `<account number>:<version>`: unique for the owner, and never reused. */
  readonly id: string;
  readonly account: LedgerAccountName;
  readonly type: LedgerTxType;
  readonly deltaMicros: bigint;
  readonly balanceAfterMicros: bigint;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly txId: string;
  readonly createdAt: Date;
  /** Where this line stands, for the next page. */
  readonly cursor: string;
}

const BALANCES: Statement = {
  name: 'wallet-balances',
  text: 'select account_no, balance from ledger_account where owner_id = $1',
};

const LINES: Statement = {
  name: 'wallet-lines',
  text: `
    select e.account_no, e.version, e.delta, e.balance_after, e.tx_id, e.created_at,
      t.type, t.reference, t.metadata
    from ledger_entry e join ledger_tx t on t.owner_id = e.owner_id and t.tx_id = e.tx_id
    where e.owner_id = $1 and e.account_no < ${FIRST_COMPANY_ACCOUNT_NO}
      and (e.created_at, e.tx_id, e.account_no) < ($2::timestamptz, $3::uuid, $4::smallint)
    order by e.created_at desc, e.tx_id desc, e.account_no desc
    limit $5`,
};

const NOTIFY: Statement = {
  name: 'wallet-notify',
  text: `select pg_notify('dhara_events', json_build_object('kind', 'wallet', 'accountId', $1::uuid)::text)`,
};

const BEFORE_EVERYTHING = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '32767'];
const CURSOR = /^([0-9: .+-]{19,40})_([0-9a-f-]{36})_(\d{1,5})$/;

/** The owner's credits: what there is, where it is allocated, and every movement. */
export class WalletService {
  constructor(private readonly db: Database) {}

  /** @throws ACCOUNT_NOT_FOUND */
  async balances(accountId: string): Promise<Balances> {
    const rows = await this.db.sql.query<{ account_no: number; balance: string }>(BALANCES, [accountId]);
    if (rows.length === 0) throw new AppError('ACCOUNT_NOT_FOUND', 'There is no such account.');
    return Object.fromEntries(rows.map((row) => [ledgerAccountName(row.account_no), BigInt(row.balance)])) as Balances;
  }

  /**
   * The owner's entries, newest first, at most `first`.
   *
   * @throws INVALID_PARAMETER for a cursor that is not one of ours.
   */
  async lines(accountId: string, page: { first: number; after: string | null }): Promise<LedgerLine[]> {
    const start = page.after === null ? BEFORE_EVERYTHING : parseCursor(page.after);
    const rows = await this.db.sql.query<LineRow>(LINES, [accountId, ...start, page.first]);
    return rows.map(lineOf);
  }

  /**
   * Moves credits between MASTER and the buckets. The same key twice moves them once.
   *
   * @throws INSUFFICIENT_CREDITS with what is missing; INVALID_INPUT for nothing, or from and to being one.
   */
  async allocate(
    accountId: string,
    move: { from: SpendableAccount; to: SpendableAccount; amountMicros: bigint; idempotencyKey: string },
  ): Promise<PostedTx> {
    if (move.from === move.to) throw new AppError('INVALID_INPUT', 'Choose two different buckets.');
    if (move.amountMicros <= 0n) throw new AppError('INVALID_INPUT', 'The amount must be more than zero.');
    return this.postAndTell({
      ownerId: accountId,
      type: 'ALLOCATION',
      idempotencyKey: `allocation:${boundedKey(move.idempotencyKey)}`,
      deltas: { [move.from]: -move.amountMicros, [move.to]: move.amountMicros },
    });
  }

  /**
   * Staff's correction of MASTER, up or down, in the transaction that writes the audit entry.
   *
   * @throws INSUFFICIENT_CREDITS where more would be taken than is there.
   */
  async adjust(
    sql: Sql,
    accountId: string,
    adjustment: { amountMicros: bigint; reason: string; idempotencyKey: string },
  ): Promise<PostedTx> {
    if (adjustment.amountMicros === 0n) throw new AppError('INVALID_INPUT', 'The amount must not be zero.');
    const posted = await post(sql, {
      ownerId: accountId,
      type: 'ADJUSTMENT',
      idempotencyKey: `adjustment:${boundedKey(adjustment.idempotencyKey)}`,
      deltas: { MASTER: adjustment.amountMicros, ADJUSTMENT: -adjustment.amountMicros },
      metadata: { reason: adjustment.reason },
    });
    await notifyWallet(sql, accountId);
    return posted;
  }

  private async postAndTell(posting: Parameters<typeof post>[1]): Promise<PostedTx> {
    return this.db.transaction(async ({ sql }) => {
      const posted = await post(sql, posting);
      if (!posted.duplicate) await notifyWallet(sql, posting.ownerId);
      return posted;
    });
  }
}

/** Tells the dashboards of an account, once the transaction commits, that its wallet has changed. */
export async function notifyWallet(sql: Sql, accountId: string): Promise<void> {
  await sql.query(NOTIFY, [accountId]);
}

interface LineRow {
  account_no: number;
  version: string;
  delta: string;
  balance_after: string;
  tx_id: string;
  created_at: string;
  type: LedgerTxType;
  reference: string | null;
  metadata: Record<string, string>;
}

function lineOf(row: LineRow): LedgerLine {
  return {
    id: `${row.account_no}:${row.version}`,
    account: ledgerAccountName(row.account_no),
    type: row.type,
    deltaMicros: BigInt(row.delta),
    balanceAfterMicros: BigInt(row.balance_after),
    reference: row.reference,
    metadata: row.metadata,
    txId: row.tx_id,
    createdAt: new Date(row.created_at),
    // PostgreSQL's own text keeps the microseconds that a Date would lose.
    cursor: Buffer.from(`${row.created_at}_${row.tx_id}_${row.account_no}`).toString('base64url'),
  };
}

function parseCursor(cursor: string): string[] {
  const match = CURSOR.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match || Number.isNaN(Date.parse(match[1]!)) || Number(match[3]) > 32767) {
    throw new AppError('INVALID_PARAMETER', 'after: this cursor is not one of ours.');
  }
  return match.slice(1);
}

function boundedKey(key: string): string {
  if (key.length === 0 || key.length > 200) {
    throw new AppError('INVALID_INPUT', 'An idempotency key has 1 to 200 characters.');
  }
  return key;
}
