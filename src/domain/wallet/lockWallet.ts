import type { Sql, Statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { ledgerAccountName } from './ledgerAccounts.js';
import type { LockedBalances } from './movements.js';

/** In the order in which a posting locks, and without a gap, so that the two can never wait for each other. */
const LOCK: Statement = {
  name: 'wallet-lock',
  text: 'select account_no, balance from lock_wallet($1)',
};

/**
 * The owner's credits, holds and DEBT, which nobody else changes until the caller's transaction ends: for postings whose
 * deltas follow from the balances. Take every other lock before this one.
 *
 * @throws ACCOUNT_NOT_FOUND
 */
export async function lockWallet(sql: Sql, ownerId: string): Promise<LockedBalances> {
  const rows = await sql.query<{ account_no: number; balance: string }>(LOCK, [ownerId]);
  if (rows.length === 0) throw new AppError('ACCOUNT_NOT_FOUND', 'There is no such account.');
  return Object.fromEntries(
    rows.map((row) => [ledgerAccountName(row.account_no), BigInt(row.balance)]),
  ) as LockedBalances;
}

/** Every posting of an owner holds MASTER's row until it is committed. */
const AWAIT: Statement = { name: 'wallet-await-postings', text: 'select await_postings($1)' };

/**
 * Waits for the postings of this owner that are on their way. Whatever is booked afterwards is later than this call, so
 * a period that is over by then says the same for ever.
 */
export async function awaitPostings(sql: Sql, ownerId: string): Promise<void> {
  await sql.query(AWAIT, [ownerId]);
}
