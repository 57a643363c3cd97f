import { execute, type Sql, statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { ledgerAccountName } from './ledgerAccounts.js';
import type { LockedBalances } from './movements.js';

/** In the order in which a posting locks, and without a gap, so that the two can never wait for each other. */
const LOCK = statement<{ ownerId: string }, { account_no: number; balance: string }>(
  'wallet-lock',
  'select account_no, balance from lock_wallet(:ownerId)',
);

/**
 * The owner's credits, holds and DEBT, which nobody else changes until the caller's transaction ends: for postings whose
 * deltas follow from the balances. Take every other lock before this one.
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
 * Every posting of an owner holds MASTER's row from before it is dated until it is committed. None takes an hour: later
 * than that, nothing is on its way into a period any more. The days of a period are periods too.
 */
const AWAIT = statement<{ ownerId: string; to: string }>(
  'wallet-await-postings',
  `
    select await_postings(:ownerId) where exists (
      select from (values (:to::timestamptz), (date_trunc('day', service_now(), 'UTC'))) period(ended)
      where ended <= :to and ended between service_now() - interval '1 hour' and service_now())`,
);

/**
 * Waits for the postings of this owner that may be on their way into a period which has just ended. Whatever is booked
 * afterwards is later than this call, so that a period that is over by then says the same for ever.
 *
 * @param to where the period that is read ends; `null` where it goes on
 */
export async function awaitPostings(sql: Sql, ownerId: string, to: Date | null): Promise<void> {
  await execute(sql, AWAIT, { ownerId, to: to?.toISOString() ?? 'infinity' });
}
