import { type Database, execute, type Sql, statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { recordAudit } from '../shared/audit.js';
import { formatCredits } from './credits.js';
import { LEDGER_ACCOUNTS, type SpendableAccount } from './ledgerAccounts.js';
import { lockWallet } from './lockWallet.js';
import { post } from './posting.js';

/** The buckets that may draw from MASTER. */
export const BUCKETS = ['CLOUD', 'AI', 'CREATIVE'] as const satisfies readonly SpendableAccount[];
export type Bucket = (typeof BUCKETS)[number];

/** SQL: whether this bucket of an account draws from MASTER. It does unless the owner switched it off. */
export function drawsFromMaster(accountId: string, bucket: Bucket): string {
  return `coalesce((
    select enabled from automatic_allocation
    where account_id = ${accountId} and bucket = ${LEDGER_ACCOUNTS[bucket]}), true)`;
}

const ENABLED = statement<{ accountId: string }, Record<Bucket, boolean>>(
  'automatic-allocation-enabled',
  `select ${BUCKETS.map((bucket) => `${drawsFromMaster(':accountId', bucket)} as "${bucket}"`).join(', ')}`,
);

const SET = statement<{ accountId: string; bucket: number; enabled: boolean }, { set: boolean }>(
  'automatic-allocation-set',
  `
    insert into automatic_allocation (account_id, bucket, enabled, updated_at)
    select owner_id, :bucket, :enabled, service_now() from ledger_account
    where owner_id = :accountId and account_no = ${LEDGER_ACCOUNTS.MASTER}
    on conflict (account_id, bucket) do update set enabled = excluded.enabled, updated_at = excluded.updated_at
    returning true as set`,
);

/** The buckets of this account that draw what they lack from MASTER. */
export async function automaticBuckets(sql: Sql, accountId: string): Promise<Bucket[]> {
  const [row] = await execute(sql, ENABLED, { accountId });
  return BUCKETS.filter((bucket) => row?.[bucket] === true);
}

/**
 * Switches automatic allocation of one bucket on or off, with an audit entry. Jobs and nights that already hold the
 * wallet end by the earlier setting.
 *
 * @throws ACCOUNT_NOT_FOUND
 */
export async function setAutomaticAllocation(
  db: Database,
  accountId: string,
  { bucket, enabled }: { bucket: Bucket; enabled: boolean },
): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await execute(tx.sql, SET, { accountId, bucket: LEDGER_ACCOUNTS[bucket], enabled });
    if (!row) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
    await recordAudit(tx, {
      accountId,
      // An account's id is its user's.
      actorId: accountId,
      action: 'wallet.set_automatic_allocation',
      subject: bucket,
      reason: 'By the owner.',
      details: { enabled },
    });
  });
}

/**
 * Moves what `bucket` lacks for a job from MASTER, in the transaction that locks the job's credits. All or nothing: if
 * both together are short, nothing moves. Does nothing if the bucket suffices, or if the owner switched it off; the lock
 * then refuses what the bucket lacks.
 *
 * Locks the whole wallet in the order of every posting, so it cannot deadlock with allocations and refunds.
 * @throws INSUFFICIENT_CREDITS with what both together lack
 */
export async function drawMissing(
  sql: Sql,
  job: { accountId: string; videoId: string; attempt: number; bucket: SpendableAccount; amountMicros: bigint },
): Promise<void> {
  const { accountId, videoId, attempt, bucket, amountMicros } = job;
  if (bucket === 'MASTER') return;
  const balances = await lockWallet(sql, accountId);
  const lackingMicros = amountMicros - balances[bucket];
  if (lackingMicros <= 0n) return;
  // Read under the lock, so that a setting saved before the lock was granted holds.
  if (!(await automaticBuckets(sql, accountId)).includes(bucket)) return;
  if (lackingMicros > balances.MASTER) {
    const missing = formatCredits(lackingMicros - balances.MASTER);
    throw new AppError('INSUFFICIENT_CREDITS', `Not enough credits in ${bucket} and MASTER: ${missing} missing.`, {
      details: { account: bucket, missing },
    });
  }
  await post(sql, {
    ownerId: accountId,
    type: 'ALLOCATION',
    idempotencyKey: `escrow:draw:${videoId}:${attempt}`,
    deltas: { MASTER: -lackingMicros, [bucket]: lackingMicros },
    reference: videoId,
  });
}
