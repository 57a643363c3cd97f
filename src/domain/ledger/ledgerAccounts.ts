/**
 * The ledger accounts of every owner. The number implies the rule for the balance (migration 0060): below 50 it is
 * never negative, from 50 to 59 never positive, from 60 on either.
 *
 * - MASTER holds unallocated credits; CLOUD, AI and CREATIVE are the buckets they are allocated to.
 * - ESCROW holds what running jobs may cost; REFUND_HOLD and DISPUTE_HOLD hold what providers may take back.
 * - DEBT is what the owner owes.
 * - The rest is the owner's own counterpart of the company's books. No row is shared, so no posting spans owners.
 */
export const LEDGER_ACCOUNTS = {
  MASTER: 1,
  CLOUD: 2,
  AI: 3,
  CREATIVE: 4,
  ESCROW: 10,
  REFUND_HOLD: 11,
  DISPUTE_HOLD: 12,
  DEBT: 50,
  CASH: 60,
  REVENUE_PROCESSING: 61,
  REVENUE_STORAGE: 62,
  PROMO: 63,
  ADJUSTMENT: 64,
  SUSPENSE: 65,
} as const;

export type LedgerAccountName = keyof typeof LEDGER_ACCOUNTS;

/** The accounts between which credits can be allocated. */
export const SPENDABLE_ACCOUNTS = ['MASTER', 'CLOUD', 'AI', 'CREATIVE'] as const;
export type SpendableAccount = (typeof SPENDABLE_ACCOUNTS)[number];
/** SQL: their numbers, as a list. */
export const SPENDABLE_NUMBERS = numbersOf(SPENDABLE_ACCOUNTS);

/** The first account of the company's books. Owners only see the accounts before it. */
export const FIRST_COMPANY_ACCOUNT_NO = LEDGER_ACCOUNTS.CASH;

/** SQL: the balance of one account of an owner; null if the owner has none. */
export function balanceOf(ownerId: string, account: LedgerAccountName): string {
  return `(
    select balance from ledger_account where owner_id = ${ownerId} and account_no = ${LEDGER_ACCOUNTS[account]})`;
}

/** SQL: what an owner can spend, in all buckets together; null if the owner has none. */
export function spendableOf(ownerId: string): string {
  return `(select sum(balance) from ledger_account where owner_id = ${ownerId} and account_no in (${SPENDABLE_NUMBERS}))`;
}

function numbersOf(accounts: readonly LedgerAccountName[]): string {
  return accounts.map((account) => LEDGER_ACCOUNTS[account]).join(', ');
}

/** SQL that is true for an owner who has topped up. */
export function hasToppedUp(ownerId: string): string {
  return `exists (select from ledger_tx t where t.owner_id = ${ownerId} and t.type = 'TOPUP')`;
}

const NAME_OF = new Map<number, LedgerAccountName>(
  Object.entries(LEDGER_ACCOUNTS).map(([name, number]) => [number, name as LedgerAccountName]),
);

export function ledgerAccountName(accountNo: number): LedgerAccountName {
  const name = NAME_OF.get(accountNo);
  if (!name) throw new Error(`no ledger account has the number ${accountNo}`);
  return name;
}
