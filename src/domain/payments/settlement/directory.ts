import { execute, type Sql, statement } from '../../../db/sql.js';

/** The owner of a provider's order or payment. `topUpId` is `null` for a payment of an unknown order. */
export interface DirectoryEntry {
  readonly accountId: string;
  readonly topUpId: string | null;
}

const FIND = statement<{ provider: string; reference: string }, { account_id: string; topup_id: string | null }>(
  'payment-directory-find',
  'select account_id, topup_id from payment_directory where provider = :provider and reference = :reference',
);

const ENTER = statement<{ provider: string; reference: string; accountId: string; topUpId: string | null }>(
  'payment-directory-enter',
  `
    insert into payment_directory (provider, reference, account_id, topup_id) values (:provider, :reference, :accountId, :topUpId)
    on conflict do nothing`,
);

const BY_REFERENCE = statement<{ reference: string }, { account_id: string }>(
  'payment-directory-search',
  'select distinct account_id from payment_directory where reference = :reference limit 20',
);

/** @param reference the provider's id of an order or a payment */
export async function findOwner(sql: Sql, provider: string, reference: string): Promise<DirectoryEntry | null> {
  const [row] = await execute(sql, FIND, { provider, reference });
  return row ? { accountId: row.account_id, topUpId: row.topup_id } : null;
}

/** The first entry of a reference wins. */
export async function enterOwner(
  sql: Sql,
  provider: string,
  reference: string,
  { accountId, topUpId }: DirectoryEntry,
): Promise<void> {
  await execute(sql, ENTER, { provider, reference, accountId, topUpId });
}

/** Finds accounts by an exact order or payment id of a provider. May include the nil account. */
export async function accountsByPaymentReference(db: { readonly sql: Sql }, text: string): Promise<string[]> {
  const rows = await execute(db.sql, BY_REFERENCE, { reference: text.trim() });
  return rows.map((row) => row.account_id);
}
