import type { Sql, Statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { LEDGER_ACCOUNTS, ledgerAccountName } from './ledgerAccounts.js';
import type { LockedBalances } from './movements.js';

/** In the order in which a posting locks, and without a gap, so that the two can never wait for each other. */
const LOCK: Statement = {
  name: 'wallet-lock',
  text: `
    select account_no, balance from ledger_account
    where owner_id = $1 and account_no <= ${LEDGER_ACCOUNTS.DEBT}
    order by account_no for no key update`,
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
