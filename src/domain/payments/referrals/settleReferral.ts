import { execute, type Sql } from '../../../db/sql.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import type { LockedBalances } from '../../ledger/movements.js';
import { clawBack, grantBonus, isInsideWindow, type Bonus } from './bonuses.js';
import {
  HAS_PAID_WITH,
  OUTBOX_SEQ,
  RECORD_PAYERS,
  REFERRAL_OF,
  SET_FIRST_TOPUP,
  SET_STATUS,
  WRITE_OUTBOX,
  type OutboxKind,
  type ReferralRow,
  type ReferralStatus,
} from './referral.sql.js';

/** What is known of one credited top-up: facts and times of the provider. */
export interface CreditedTopUp {
  readonly accountId: string;
  readonly topUpId: string;
  readonly provider: string;
  readonly paymentId: string;
  /** The earliest capture time that the provider reported. */
  readonly capturedAt: Date;
  /** The earliest creation time of any refund ever seen as processed, full or partial. Never unset. */
  readonly refundedAt: Date | null;
  /** Hashes of the payer's means of payment, such as a card's fingerprint or a UPI address. */
  readonly payerHashes: readonly string[];
}

export type EndReason = 'refunded' | 'same_payer';

/**
 * Settles what a credited top-up means for its account's referral: posts the invitee's bonus or claws it back, and
 * writes the message for the referrer's side. Call it in the transaction that credits the top-up, after its posting and
 * with its row locked, and again whenever one of its facts changes. The same facts again change nothing.
 *
 * - The first top-up is the credited one with the earliest capture. If an earlier one is credited later, the referral
 *   follows it from then on, and nothing is granted twice.
 * - Each call decides by the times it is given. A refund inside the window is final: neither an earlier capture that
 *   becomes known later, which would have ended the window sooner, nor a top-up credited later brings the bonus back,
 *   even if it was captured before the refunded one. Nothing else depends on the order of calls.
 * - Payments of the referrer with one of the first top-up's hashes count up to when the hash is first seen. Later
 *   payments do not.
 *
 * Locks the invitee's wallet, which serializes everything here, then the referral. What it posts may mark a low balance
 * at the commit.
 * @throws ACCOUNT_NOT_FOUND if there is a referral but no wallet
 */
export async function settleReferral(sql: Sql, topUp: CreditedTopUp): Promise<void> {
  const { accountId } = topUp;
  if (await openReferral(sql, accountId)) {
    const balances = await lockWallet(sql, accountId);
    // Check again under the lock: another transaction may have settled it.
    const referral = await openReferral(sql, accountId);
    if (referral && isFirst(referral, topUp)) await settleFirst(sql, referral, topUp, balances);
  }
  if (topUp.payerHashes.length > 0) await execute(sql, RECORD_PAYERS, { accountId, payerHashes: topUp.payerHashes });
}

/**
 * Claws back the invitee's bonus after the referrer's side refused its own because both have the same payer.
 *
 * @returns false if no bonus is granted any more
 */
export async function endRefused(sql: Sql, accountId: string): Promise<boolean> {
  const balances = await lockWallet(sql, accountId);
  const referral = await openReferral(sql, accountId);
  if (referral?.status !== 'granted' || referral.topup_id === null) return false;
  await end(sql, referral, { accountId, topUpId: referral.topup_id }, { reason: 'same_payer', balances });
  return true;
}

async function openReferral(sql: Sql, accountId: string): Promise<ReferralRow | undefined> {
  return (await execute(sql, REFERRAL_OF, { accountId }))[0];
}

/** Compares capture times. Ids break a tie, so that the result does not depend on the order of calls. */
function isFirst(referral: ReferralRow, topUp: CreditedTopUp): boolean {
  if (referral.topup_id === null || referral.captured_at === null || referral.topup_id === topUp.topUpId) return true;
  const soonerMs = new Date(referral.captured_at).getTime() - topUp.capturedAt.getTime();
  return soonerMs > 0 || (soonerMs === 0 && topUp.topUpId < referral.topup_id);
}

async function settleFirst(
  sql: Sql,
  referral: ReferralRow,
  topUp: CreditedTopUp,
  balances: LockedBalances,
): Promise<void> {
  const isKnown = referral.topup_id === topUp.topUpId;
  const newHashes = isKnown
    ? topUp.payerHashes.filter((hash) => !referral.payer_hashes.includes(hash))
    : topUp.payerHashes;
  const hashes = isKnown ? [...referral.payer_hashes, ...newHashes] : newHashes;
  await execute(sql, SET_FIRST_TOPUP, {
    accountId: topUp.accountId,
    topUpId: topUp.topUpId,
    provider: topUp.provider,
    paymentId: topUp.paymentId,
    capturedAt: topUp.capturedAt,
    hashes,
  });

  const reason = await reasonAgainst(sql, referral, topUp, newHashes);
  if (reason !== null) await end(sql, referral, topUp, { reason, balances });
  else if (referral.status === 'pending') await grant(sql, topUp, balances);
}

async function reasonAgainst(
  sql: Sql,
  referral: ReferralRow,
  topUp: CreditedTopUp,
  newHashes: readonly string[],
): Promise<EndReason | null> {
  if (isInsideWindow(topUp.capturedAt, topUp.refundedAt)) return 'refunded';
  return (await hasPaidWith(sql, referral.referrer_id, newHashes)) ? 'same_payer' : null;
}

/** Whether this account has ever paid with one of the hashes. */
export async function hasPaidWith(sql: Sql, accountId: string, hashes: readonly string[]): Promise<boolean> {
  if (hashes.length === 0) return false;
  const [row] = await execute(sql, HAS_PAID_WITH, { accountId, hashes });
  return row?.same === true;
}

type TopUpId = Pick<CreditedTopUp, 'accountId' | 'topUpId'>;

async function grant(sql: Sql, topUp: TopUpId, balances: LockedBalances): Promise<void> {
  if (!(await move(sql, topUp.accountId, { from: 'pending', to: 'granted', reason: null }))) return;
  await grantBonus(sql, inviteeBonus(topUp), balances);
}

/** Cancels a pending referral, or claws back a granted one. */
async function end(
  sql: Sql,
  referral: ReferralRow,
  topUp: TopUpId,
  { reason, balances }: { reason: EndReason; balances: LockedBalances },
): Promise<void> {
  const from = referral.status;
  const to = from === 'pending' ? 'cancelled' : 'clawed_back';
  if (!(await move(sql, topUp.accountId, { from, to, reason }))) return;
  if (to === 'clawed_back') await clawBack(sql, inviteeBonus(topUp), balances);
}

/**
 * Changes the status and writes the message for the referrer's side. Returns false if the status had already changed.
 */
async function move(
  sql: Sql,
  accountId: string,
  step: { from: ReferralStatus; to: OutboxKind; reason: EndReason | null },
): Promise<boolean> {
  const changed = await execute(sql, SET_STATUS, { accountId, from: step.from, to: step.to, reason: step.reason });
  if (changed.length === 0) return false;
  await execute(sql, WRITE_OUTBOX, { accountId, seq: OUTBOX_SEQ[step.to], to: step.to });
  return true;
}

function inviteeBonus({ accountId, topUpId }: TopUpId): Bonus {
  return { side: 'invitee', ownerId: accountId, inviteeId: accountId, reference: topUpId };
}
