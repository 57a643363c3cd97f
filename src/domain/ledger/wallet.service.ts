import { automaticBuckets, type Bucket, setAutomaticAllocation } from './automaticAllocation.js';
import { type Database, execute, type Sql, statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { ledgerAccountName, type LedgerAccountName, type SpendableAccount, LEDGER_ACCOUNTS } from './ledgerAccounts.js';
import { readLedgerLines, type LedgerLine } from './ledgerLines.js';
import { lockWallet } from './lockWallet.js';
import { putIn } from './movements.js';
import { post, type PostedTx } from './posting.js';
import { readSpending, type SpendingPeriod, type SpendingRange } from './spending.js';

/** Micro-credits for each account the owner sees. DEBT is zero or negative. */
export type Balances = Readonly<Record<LedgerAccountName, bigint>>;

const BALANCES = statement<{ accountId: string }, { account_no: number; balance: string }>(
  'wallet-balances',
  'select account_no, balance from ledger_account where owner_id = :accountId',
);

const VIDEO_TITLES = statement<{ accountId: string; videoIds: readonly string[] }, { id: string; title: string }>(
  'wallet-video-titles',
  'select id, title from video where account_id = :accountId and id = any (:videoIds::uuid[])',
);

const MOVES = statement<
  { accountId: string; txIds: readonly string[]; times: readonly string[] },
  { tx_id: string; from_no: number; to_no: number }
>(
  'wallet-moves',
  `
    select e.tx_id,
      max(e.account_no) filter (where e.delta < 0) as from_no, max(e.account_no) filter (where e.delta > 0) as to_no
    from unnest(:txIds::uuid[], :times::timestamptz[]) moved(tx_id, created_at)
      join ledger_entry e on e.owner_id = :accountId and e.created_at = moved.created_at and e.tx_id = moved.tx_id
    group by e.tx_id`,
);

const NOTIFY = statement<{ accountId: string }>(
  'wallet-notify',
  `select pg_notify('dhara_events', json_build_object('kind', 'wallet', 'accountId', :accountId::uuid)::text)`,
);

/** Where an ALLOCATION took from, and where it gave to. */
export interface Move {
  readonly from: LedgerAccountName;
  readonly to: LedgerAccountName;
}

/** The owner's credits: the balances, the allocation, and every movement. */
export class WalletService {
  constructor(private readonly db: Database) {}

  /** @throws ACCOUNT_NOT_FOUND */
  async balances(accountId: string): Promise<Balances> {
    const rows = await execute(this.db.sql, BALANCES, { accountId });
    if (rows.length === 0) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
    return Object.fromEntries(rows.map((row) => [ledgerAccountName(row.account_no), BigInt(row.balance)])) as Balances;
  }

  /**
   * Returns the owner's entries that match the filter, newest first, at most `first`.
   *
   * @throws INVALID_PARAMETER for an invalid cursor; VIDEO_NOT_FOUND, INVALID_INPUT for the filter
   */
  lines(accountId: string, page: Parameters<typeof readLedgerLines>[2]): Promise<LedgerLine[]> {
    return readLedgerLines(this.db.sql, accountId, page);
  }

  /** @throws INVALID_INPUT for a range that ends before it begins, or that exceeds 400 days. */
  spending(accountId: string, range: SpendingRange): Promise<SpendingPeriod[]> {
    return readSpending(this.db.sql, accountId, range);
  }

  /** Titles of existing videos, in the order of the ids; `null` for the others. */
  async videoTitles(accountId: string, videoIds: readonly string[]): Promise<(string | null)[]> {
    const rows = await execute(this.db.sql, VIDEO_TITLES, { accountId, videoIds });
    const titles = new Map(rows.map((row) => [row.id, row.title]));
    return videoIds.map((id) => titles.get(id) ?? null);
  }

  /** What all processing of each video was charged so far, in the order of the ids. */
  videoCosts(accountId: string, videoIds: readonly string[]): Promise<bigint[]> {
    return readVideoCosts(this.db.sql, accountId, videoIds);
  }

  /** For each of these allocations, where it moved credits from and to, in the given order; `null` if it is not one. */
  async moves(accountId: string, allocations: readonly { txId: string; at: string }[]): Promise<(Move | null)[]> {
    const rows = await execute(this.db.sql, MOVES, {
      accountId,
      txIds: allocations.map(({ txId }) => txId),
      times: allocations.map(({ at }) => at),
    });
    const moves = new Map(
      rows.map((row) => [row.tx_id, { from: ledgerAccountName(row.from_no), to: ledgerAccountName(row.to_no) }]),
    );
    return allocations.map(({ txId }) => moves.get(txId) ?? null);
  }

  /**
   * Moves credits between MASTER and the buckets. The same key moves them only once.
   *
   * @throws INSUFFICIENT_CREDITS with what is missing; INVALID_INPUT for an amount of zero or less, or for the same
   * bucket twice
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

  /** The buckets that draw what they lack from MASTER; all of them unless the owner switched some off. */
  automaticBuckets(accountId: string): Promise<Bucket[]> {
    return automaticBuckets(this.db.sql, accountId);
  }

  /** @throws ACCOUNT_NOT_FOUND; INVALID_INPUT for MASTER, which draws from nothing */
  async setAutomaticAllocation(
    accountId: string,
    { bucket, enabled }: { bucket: SpendableAccount; enabled: boolean },
  ): Promise<void> {
    if (bucket === 'MASTER') throw new AppError('INVALID_INPUT', 'Choose CLOUD, AI or CREATIVE.');
    await setAutomaticAllocation(this.db, accountId, { bucket, enabled });
  }

  /**
   * Adjusts MASTER for staff, up (DEBT is repaid first) or down, in the transaction that writes the audit entry.
   *
   * @throws INSUFFICIENT_CREDITS if more would be taken than is there
   */
  async adjust(
    sql: Sql,
    accountId: string,
    adjustment: { amountMicros: bigint; reason: string; idempotencyKey: string },
  ): Promise<PostedTx> {
    if (adjustment.amountMicros === 0n) throw new AppError('INVALID_INPUT', 'The amount must not be zero.');
    const { amountMicros } = adjustment;
    const change = amountMicros > 0n ? putIn(await lockWallet(sql, accountId), amountMicros) : { MASTER: amountMicros };
    const posted = await post(sql, {
      ownerId: accountId,
      type: 'ADJUSTMENT',
      idempotencyKey: `adjustment:${boundedKey(adjustment.idempotencyKey)}`,
      deltas: { ...change, ADJUSTMENT: -amountMicros },
      intent: amountMicros.toString(),
      metadata: { reason: adjustment.reason },
    });
    await notifyWallet(sql, accountId);
    return posted;
  }

  /**
   * Repays `amountMicros` of the debt from MASTER, at most all of it. The same key pays only once.
   *
   * @throws INSUFFICIENT_CREDITS with what is missing; INVALID_INPUT for an amount of zero or less, or above the debt
   */
  async repayDebt(accountId: string, payment: { amountMicros: bigint; idempotencyKey: string }): Promise<PostedTx> {
    const { amountMicros } = payment;
    if (amountMicros <= 0n) throw new AppError('INVALID_INPUT', 'The amount must be more than zero.');
    try {
      return await this.postAndTell({
        ownerId: accountId,
        type: 'ALLOCATION',
        idempotencyKey: `debt:repay:${boundedKey(payment.idempotencyKey)}`,
        deltas: { MASTER: -amountMicros, DEBT: amountMicros },
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.details['account'] !== 'DEBT') throw error;
      throw new AppError('INVALID_INPUT', 'That is more than you owe.', { cause: error });
    }
  }

  private async postAndTell(posting: Parameters<typeof post>[1]): Promise<PostedTx> {
    return this.db.transaction(async ({ sql }) => {
      const posted = await post(sql, posting);
      if (!posted.duplicate) await notifyWallet(sql, posting.ownerId);
      return posted;
    });
  }
}

/** Notifies the account's dashboards of a changed wallet when the transaction commits. */
export async function notifyWallet(sql: Sql, accountId: string): Promise<void> {
  await execute(sql, NOTIFY, { accountId });
}

function boundedKey(key: string): string {
  if (key.length === 0 || key.length > 200) {
    throw new AppError('INVALID_INPUT', 'An idempotency key has 1 to 200 characters.');
  }
  return key;
}

const { REVENUE_PROCESSING } = LEDGER_ACCOUNTS;

/** Walks the index of references once per video; a tx and its entries have the same time. */
const COSTS = statement<{ ownerId: string; videoIds: readonly string[] }, { video_id: string; cost: string }>(
  'ledger-video-costs',
  `
    select t.reference as video_id, sum(e.delta) as cost
    from unnest(:videoIds::text[]) wanted(reference)
      join ledger_tx t on t.owner_id = :ownerId and t.reference = wanted.reference and t.type = 'ESCROW_SETTLE'
      join ledger_entry e on e.owner_id = :ownerId and e.created_at = t.created_at and e.tx_id = t.tx_id
        and e.account_no = ${REVENUE_PROCESSING}
    group by t.reference`,
);

/** What all processing of each video was charged so far, in the order of the ids. */
async function readVideoCosts(sql: Sql, ownerId: string, videoIds: readonly string[]): Promise<bigint[]> {
  const rows = await execute(sql, COSTS, { ownerId, videoIds });
  const costs = new Map(rows.map((row) => [row.video_id, BigInt(row.cost)]));
  return videoIds.map((id) => costs.get(id) ?? 0n);
}
