import { execute, type Sql, statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { ledgerAccountName } from './ledgerAccounts.js';
import type { LockedBalances } from './movements.js';

/** Locks in the same order as a posting, and without gaps, so that the two cannot deadlock. */
const LOCK = statement<{ ownerId: string }, { account_no: number; balance: string }>(
  'wallet-lock',
  'select account_no, balance from lock_wallet(:ownerId)',
);

/**
 * Locks and returns the owner's credits, holds and DEBT until the caller's transaction ends. For postings whose deltas
 * depend on the balances.
 *
 * All locks are taken in one order, so that no two transactions wait for each other: staff, the payment's turn, the
 * top-up, the payment, the request; the quote, the video, the attempt; then the wallet; then what belongs to its owner
 * and changes with it: referrals, the row of the closing (which a posting for an erased account marks by a trigger), the
 * mark of a low balance (at the commit), events.
 *
 * @throws ACCOUNT_NOT_FOUND
 */
export async function lockWallet(sql: Sql, ownerId: string): Promise<LockedBalances> {
  const rows = await execute(sql, LOCK, { ownerId });
  if (rows.length === 0) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
  return Object.fromEntries(
    rows.map((row) => [ledgerAccountName(row.account_no), BigInt(row.balance)]),
  ) as LockedBalances;
}

/**
 * Every posting locks the owner's MASTER row before it gets its time, and keeps it until it commits. No posting takes
 * an hour, so one hour after a period has ended, no posting can still fall into it. The days within a period end in the
 * same way.
 */
const AWAIT = statement<{ ownerId: string; to: number }>(
  'wallet-await-postings',
  `
    select await_postings(:ownerId) where exists (
      select from (values (to_timestamp(:to::float8)), (date_trunc('day', service_now(), 'UTC'))) period(ended)
      where ended <= to_timestamp(:to::float8) and ended between service_now() - interval '1 hour' and service_now())`,
);

/**
 * Waits for postings of this owner that may still fall into a period that has just ended. Anything posted after this
 * call is later, so a period that has ended by then never changes again.
 *
 * @param to the end of the period to read; `null` if it is open
 */
export async function awaitPostings(sql: Sql, ownerId: string, to: Date | null): Promise<void> {
  // As a number, because a year after 9999 has no text that both JavaScript and PostgreSQL know.
  await execute(sql, AWAIT, { ownerId, to: to === null ? Infinity : to.getTime() / 1_000 });
}
