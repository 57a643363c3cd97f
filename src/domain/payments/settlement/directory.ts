import type { Sql, Statement } from '../../../db/sql.js';

/** Who owns a provider's order or payment. `topUpId` is `null` for a payment of no known order. */
export interface DirectoryEntry {
  readonly accountId: string;
  readonly topUpId: string | null;
}

const FIND: Statement = {
  name: 'payment-directory-find',
  text: 'select account_id, topup_id from payment_directory where provider = $1 and reference = $2',
};

const ENTER: Statement = {
  name: 'payment-directory-enter',
  text: `
    insert into payment_directory (provider, reference, account_id, topup_id) values ($1, $2, $3, $4)
    on conflict do nothing`,
};

const BY_REFERENCE: Statement = {
  name: 'payment-directory-search',
  text: 'select distinct account_id from payment_directory where reference = $1 limit 20',
};

/** @param reference the provider's id of an order or a payment. */
export async function findOwner(sql: Sql, provider: string, reference: string): Promise<DirectoryEntry | null> {
  const [row] = await sql.query<{ account_id: string; topup_id: string | null }>(FIND, [provider, reference]);
  return row ? { accountId: row.account_id, topUpId: row.topup_id } : null;
}

/** The first entry of a reference stays. */
export async function enterOwner(
  sql: Sql,
  provider: string,
  reference: string,
  { accountId, topUpId }: DirectoryEntry,
): Promise<void> {
  await sql.query(ENTER, [provider, reference, accountId, topUpId]);
}

/** Accounts by a provider's order or payment id, exactly as it is written. The nil account may be among them. */
export async function accountsByPaymentReference(db: { readonly sql: Sql }, text: string): Promise<string[]> {
  const rows = await db.sql.query<{ account_id: string }>(BY_REFERENCE, [text.trim()]);
  return rows.map((row) => row.account_id);
}
