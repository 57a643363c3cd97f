import { type Database, execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { JobQueue } from '../../../ports/jobQueue.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import type { LockedBalances } from '../../ledger/movements.js';
import { post } from '../../ledger/posting.js';
import { notifyWallet } from '../../ledger/wallet.service.js';
import { endProcessing } from '../../media/library/bin.service.js';
import { LIVE_ATTEMPTS } from '../../media/pipeline/attempt.sql.js';
import type { RefundService } from '../../payments/refunds/refund.service.js';
import type { TopUpService } from '../../payments/topUps/topUp.service.js';
import type { TopUpDetails, TopUpRefund } from '../../payments/topUps/topUpDetails.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { KEEP_CLOSED } from '../../shared/closedAccounts.js';
import { newId } from '../../shared/ids.js';
import { BATCH, HELD, IS_CHARGED, PAID_TOPUPS, SETTLED } from './closing.sql.js';

/** What closing an account would end, and what would become of its balance. */
export interface Consequences {
  readonly videos: number;
  readonly storedBytes: bigint;
  readonly keys: number;
  readonly webhookEndpoints: number;
  /** Videos that are being processed. Their credits return first. */
  readonly jobs: number;
  /** What goes back to where it was paid from, in credits. */
  readonly refundMicros: bigint;
  /** Credits that no payment backs, such as bonuses: they lapse with the account. */
  readonly lapsingMicros: bigint;
  /** Debt, which the balance pays first. */
  readonly debtMicros: bigint;
}

interface OpenClosing {
  readonly accountId: string;
  readonly id: string;
  readonly closedAt: Date;
}

export interface SettleDeps {
  readonly db: Database;
  readonly queue: Pick<JobQueue, 'cancelProcessVideo'>;
  readonly topUps: Pick<TopUpService, 'get'>;
  readonly refunds: Pick<RefundService, 'refundForClosing'>;
}

type MoneyDeps = Pick<SettleDeps, 'db' | 'topUps'>;

const NOT_PAID_BACK: ReadonlySet<string> = new Set(['refused', 'failed']);
const BUCKETS = ['CLOUD', 'AI', 'CREATIVE'] as const;

/** What would be refunded of the wallet as it is now, what would lapse, and what is owed. */
export async function readMoney(
  deps: MoneyDeps,
  accountId: string,
): Promise<Pick<Consequences, 'refundMicros' | 'lapsingMicros' | 'debtMicros'>> {
  const { MASTER, CLOUD, AI, CREATIVE, ESCROW, DEBT } = await deps.db.transaction(({ sql }) =>
    lockWallet(sql, accountId),
  );
  const afterDebt = MASTER + CLOUD + AI + CREATIVE + ESCROW + DEBT;
  const all = afterDebt > 0n ? afterDebt : 0n;
  let left = all;
  for await (const topUp of refundable(deps, accountId)) left -= topUp.microsPerMinor * refundOf(topUp, left);
  return { refundMicros: all - left, lapsingMicros: left, debtMicros: -DEBT };
}

/** Credits that payments back: what can still be refunded of them, even if the wallet has less. */
export async function coveredByPayments(deps: MoneyDeps, accountId: string): Promise<bigint> {
  let micros = 0n;
  for await (const topUp of refundable(deps, accountId)) micros += topUp.refundableMinor * topUp.microsPerMinor;
  return micros;
}

/**
 * Ends jobs of a closed account and requests refunds of what is left. Every step commits by itself and finds out what is
 * left to do, so it can be cut off anywhere and run again, also by several at once. Each keeps the account closed until
 * it commits: a pass that began before a reopening touches nothing of what came after it.
 *
 * @returns whether nothing was left to do; false if the closing was taken back
 */
export async function settleClosing(
  deps: SettleDeps,
  closing: OpenClosing & { readonly accountIds: readonly string[] },
): Promise<boolean> {
  const { db } = deps;
  const { accountId, id } = closing;
  if (!(await endJobs(deps, closing))) return false;
  const [held] = await execute(db.sql, HELD, { accountId });
  const [nights] = await execute(db.sql, IS_CHARGED, { accountId, id });
  // A job that was bought in the same moment, or a day that is not charged yet: the next pass continues.
  if (held!.escrow !== '0' || !nights!.charged) return false;
  const gathered = await whileClosed(db, closing, ({ sql }) => gather(sql, accountId));
  if (!gathered || !(await refundAll(deps, closing))) return false;
  await execute(db.sql, SETTLED, { accountId, id });
  return true;
}

/**
 * Runs `work` in a transaction that keeps the account closed until its end. The row of the closing is locked last, as by
 * every posting for an erased account: see `lockWallet`.
 *
 * @returns false if it is not closed any more; then nothing is changed
 */
async function whileClosed(
  db: Database,
  { accountId, id }: OpenClosing,
  work: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  try {
    await db.transaction(async (tx) => {
      await work(tx);
      const [closing] = await execute(tx.sql, KEEP_CLOSED, { accountId });
      if (closing?.id !== id) throw new NotClosedError();
    });
    return true;
  } catch (error) {
    if (error instanceof NotClosedError) return false;
    throw error;
  }
}

/** Takes back what was done for a closing that is over. */
class NotClosedError extends Error {
  override readonly name = 'NotClosedError';
}

/** Ends processing of every video, and returns its credits. @returns false if the account is not closed any more */
async function endJobs(
  { db, queue }: SettleDeps,
  closing: OpenClosing & { readonly accountIds: readonly string[] },
): Promise<boolean> {
  for (;;) {
    const attempts = await execute(db.sql, LIVE_ATTEMPTS, { accountIds: closing.accountIds, most: BATCH });
    for (const { account_id: accountId, video_id: videoId } of attempts) {
      if (!(await whileClosed(db, closing, (tx) => endProcessing(tx, queue, { accountId, videoId })))) return false;
    }
    if (attempts.length < BATCH) return true;
  }
}

/** Moves all buckets to MASTER, and pays debt from it: only MASTER can be refunded. */
async function gather(sql: Sql, accountId: string): Promise<void> {
  const balances = await lockWallet(sql, accountId);
  let master = balances.MASTER;
  for (const bucket of BUCKETS) {
    const amount = balances[bucket];
    if (amount <= 0n) continue;
    master += amount;
    await post(sql, {
      ownerId: accountId,
      type: 'ALLOCATION',
      idempotencyKey: `allocation:closing:${newId()}`,
      deltas: { [bucket]: -amount, MASTER: amount },
    });
  }
  const repaid = repayable(master, balances);
  if (repaid > 0n) {
    await post(sql, {
      ownerId: accountId,
      type: 'ALLOCATION',
      idempotencyKey: `debt:repay:closing:${newId()}`,
      deltas: { MASTER: -repaid, DEBT: repaid },
    });
  }
  await notifyWallet(sql, accountId);
}

function repayable(master: bigint, { DEBT }: LockedBalances): bigint {
  return master < -DEBT ? master : -DEBT;
}

/**
 * Requests what can be refunded of each payment, the newest first: what was refunded, disputed or spent before is left
 * out by the rules of every refund. If the provider refuses one, its hold returns. Staff are told, since only they can
 * pay back by another way.
 *
 * @returns false if the account is not closed any more
 */
async function refundAll(deps: SettleDeps, closing: OpenClosing): Promise<boolean> {
  const { db, refunds } = deps;
  const { accountId, id, closedAt } = closing;
  for await (const topUp of refundable(deps, accountId)) {
    let master = 0n;
    const isClosed = await whileClosed(db, closing, async ({ sql }) => {
      master = (await lockWallet(sql, accountId)).MASTER;
    });
    if (!isClosed) return false;
    const amountMinor = refundOf(topUp, master);
    if (amountMinor <= 0n) continue;
    // By our own time: a provider may say when it made a refund in whole seconds, or by another clock.
    const since = ({ requestedAt, createdAt }: TopUpRefund) => (requestedAt ?? createdAt) >= closedAt;
    if (topUp.refunds.some((refund) => NOT_PAID_BACK.has(refund.state) && since(refund))) {
      await raiseAlert(db.sql, {
        kind: 'account.refund_refused',
        subject: topUp.id,
        message: `The closed account ${accountId} has credits of a top-up that ${topUp.provider} did not refund. Pay them back by another way, and adjust the wallet.`,
        // An alert of the account would be erased with it, and what is owed forgotten.
        accountId: null,
      });
      continue;
    }
    try {
      const key = `${id}:${topUp.id}:${topUp.refunds.length}`;
      await refunds.refundForClosing(accountId, { topUpId: topUp.id, amountMinor, key });
    } catch (error) {
      // Another pass, a dispute or a webhook was faster: the next pass sees what is left.
      if (!(error instanceof AppError) || error.wake) throw error;
    }
  }
  return true;
}

/** Paid top-ups of which something can still be refunded, the newest first. */
async function* refundable({ db, topUps }: MoneyDeps, accountId: string): AsyncGenerator<TopUpDetails> {
  for (let after: string | null = null; ;) {
    const page: { id: string }[] = await execute(db.sql, PAID_TOPUPS, { accountId, after });
    for (const { id } of page) {
      const topUp = await topUps.get(accountId, id);
      if (topUp.refundableMinor > 0n) yield topUp;
    }
    after = page.at(-1)?.id ?? null;
    if (page.length < BATCH) return;
  }
}

/** How much of a top-up these credits can refund, in minor units. */
function refundOf({ refundableMinor, microsPerMinor }: TopUpDetails, micros: bigint): bigint {
  const covered = micros / microsPerMinor;
  return covered < refundableMinor ? covered : refundableMinor;
}
