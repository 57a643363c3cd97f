import { execute, type NoParams, type Sql, statement } from '../../db/sql.js';
import { drawMissing } from './automaticAllocation.js';
import type { SpendableAccount } from './ledgerAccounts.js';
import { LEDGER_ACCOUNTS, ledgerAccountName } from './ledgerAccounts.js';
import { putIn } from './movements.js';
import { lockWallet } from './lockWallet.js';
import { post } from './posting.js';

/** One paid attempt at processing one video. Its escrow is locked once and resolved once. */
export interface EscrowId {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
}

const INSERT = statement<{ accountId: string; videoId: string; attempt: number; bucket: number; amountMicros: string }>(
  'escrow-insert',
  `
    insert into escrow (account_id, video_id, attempt, bucket, locked_micros, created_at)
    values (:accountId, :videoId, :attempt, :bucket, :amountMicros, service_now())
    on conflict do nothing
    returning true as locked`,
);

const RESOLVE = statement<
  { accountId: string; videoId: string; attempt: number; status: string; settledMicros: string },
  { bucket: number; locked_micros: string }
>(
  'escrow-resolve',
  `
    update escrow set status = :status, settled_micros = :settledMicros, resolved_at = service_now()
    where account_id = :accountId and video_id = :videoId and attempt = :attempt and status = 'locked'
    returning bucket, locked_micros`,
);

/** Reads the index of open escrows only, however many were resolved. */
export const HELD_IN_ESCROW = statement<NoParams, { micros: string }>(
  'escrow-held',
  `select coalesce(sum(locked_micros), 0) as micros from escrow where status = 'locked'`,
);

/** SQL: what is locked and not resolved. */
export const OPEN_ESCROWS = `(select account_id, video_id, attempt, created_at from escrow where status = 'locked')`;

/** What all owners together have in escrow now, those of test accounts included. */
export async function heldInEscrow(sql: Sql): Promise<bigint> {
  const [held] = await execute(sql, HELD_IN_ESCROW);
  return BigInt(held!.micros);
}

/**
 * Locks `amountMicros` of `bucket` for one processing attempt. Call it in the transaction that enqueues the job.
 *
 * If the bucket is short, MASTER adds what is missing first, unless the owner switched that off. Locking twice for the
 * same attempt locks once: the attempt is the key.
 * @throws INSUFFICIENT_CREDITS with what is missing; nothing is locked or moved
 */
export async function lockEscrow(
  sql: Sql,
  escrow: EscrowId & { bucket: SpendableAccount; amountMicros: bigint },
): Promise<void> {
  const { accountId, videoId, attempt, bucket, amountMicros } = escrow;
  const [inserted] = await execute(sql, INSERT, {
    accountId,
    videoId,
    attempt,
    bucket: LEDGER_ACCOUNTS[bucket],
    amountMicros: amountMicros.toString(),
  });
  // A clip too short to cost a micro-credit has an escrow but no posting.
  if (!inserted || amountMicros === 0n) return;
  await drawMissing(sql, escrow);
  await post(sql, {
    ownerId: accountId,
    type: 'ESCROW_LOCK',
    idempotencyKey: keyOf('lock', escrow),
    deltas: { [bucket]: -amountMicros, ESCROW: amountMicros },
    reference: videoId,
  });
}

/**
 * Posts `amountMicros` of the escrow as revenue and returns the rest to its bucket, repaying DEBT first. The table's
 * CHECK refuses an amount above the locked one, which would be a bug.
 *
 * @returns false if it was already resolved; nothing is posted then
 */
export async function settleEscrow(sql: Sql, escrow: EscrowId & { amountMicros: bigint }): Promise<boolean> {
  const { accountId, videoId, amountMicros } = escrow;
  const resolved = await resolve(sql, escrow, 'settled', amountMicros);
  if (!resolved) return false;
  if (resolved.lockedMicros === 0n) return true;
  const rest = putIn(await lockWallet(sql, accountId), resolved.lockedMicros - amountMicros, resolved.bucket);
  await post(sql, {
    ownerId: accountId,
    type: 'ESCROW_SETTLE',
    idempotencyKey: keyOf('settle', escrow),
    deltas: { ...rest, ESCROW: -resolved.lockedMicros, REVENUE_PROCESSING: amountMicros },
    intent: amountMicros.toString(),
    reference: videoId,
  });
  return true;
}

/**
 * Returns the whole escrow to its bucket, repaying DEBT first.
 *
 * @returns false if it was already resolved, or never locked; nothing is posted then
 */
export async function releaseEscrow(sql: Sql, escrow: EscrowId): Promise<boolean> {
  const resolved = await resolve(sql, escrow, 'released', 0n);
  if (!resolved) return false;
  if (resolved.lockedMicros === 0n) return true;
  const back = putIn(await lockWallet(sql, escrow.accountId), resolved.lockedMicros, resolved.bucket);
  await post(sql, {
    ownerId: escrow.accountId,
    type: 'ESCROW_RELEASE',
    idempotencyKey: keyOf('release', escrow),
    deltas: { ...back, ESCROW: -resolved.lockedMicros },
    intent: 'all',
    reference: escrow.videoId,
  });
  return true;
}

async function resolve(
  sql: Sql,
  { accountId, videoId, attempt }: EscrowId,
  status: 'settled' | 'released',
  settledMicros: bigint,
): Promise<{ bucket: SpendableAccount; lockedMicros: bigint } | null> {
  const [row] = await execute(sql, RESOLVE, {
    accountId,
    videoId,
    attempt,
    status,
    settledMicros: settledMicros.toString(),
  });
  if (!row) return null;
  return {
    bucket: ledgerAccountName(row.bucket) as SpendableAccount,
    lockedMicros: BigInt(row.locked_micros),
  };
}

function keyOf(step: 'lock' | 'settle' | 'release', { videoId, attempt }: EscrowId): string {
  return `escrow:${step}:${videoId}:${attempt}`;
}

/**
 * SQL for what all videos of an account have cost, in micro-credits: `video_id`, `value`.
 *
 * @param ownerId SQL
 */
export function settledCostsOf(ownerId: string): string {
  return `
    select video_id, sum(settled_micros)::bigint as value from escrow
    where account_id = ${ownerId} and status = 'settled' group by video_id`;
}
