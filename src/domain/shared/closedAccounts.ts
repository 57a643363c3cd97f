import { statement } from '../../db/sql.js';

/**
 * The closing of a closed account. It cannot be taken back before the transaction ends. Comes after the lock of the wallet:
 * see `lockWallet`.
 */
export const KEEP_CLOSED = statement<{ accountId: string }, { id: string }>(
  'closed-account-keep',
  'select id from account_closing where account_id = :accountId and reopened_at is null for share',
);

/** SQL that is true while an account is closed. @param accountId a parameter, or a column with its table */
export function isClosed(accountId: string): string {
  return `exists (
    select from account_closing closing where closing.account_id = ${accountId} and closing.reopened_at is null)`;
}

/**
 * SQL that is true if an account was closed at the end of a UTC day. Storage of such a day is not charged, however late
 * its night is.
 *
 * @param accountId a column with its table
 * @param day a date
 */
export function wasClosedOn(accountId: string, day: string): string {
  return `exists (
    select from account_closing closing
    where closing.account_id = ${accountId} and (closing.closed_at at time zone 'UTC')::date <= ${day}
      and coalesce((closing.reopened_at at time zone 'UTC')::date > ${day}, true))`;
}
