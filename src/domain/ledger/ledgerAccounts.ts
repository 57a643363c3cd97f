/**
 * The ledger accounts every owner has. The number carries the rule (migration 0003): below 50 the balance is never
 * negative, from 50 to 59 never positive, from 60 either.
 *
 * - MASTER holds idle credits; CLOUD, AI and CREATIVE are the buckets they are allocated to.
 * - ESCROW holds what running jobs may cost; REFUND_HOLD and DISPUTE_HOLD what providers may take back.
 * - DEBT is what the owner owes.
 * - The rest is the owner's own counterpart of the company's books: no shared row, so no posting crosses owners.
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

/** Where credits can be allocated from and to. */
export const SPENDABLE_ACCOUNTS = ['MASTER', 'CLOUD', 'AI', 'CREATIVE'] as const;
export type SpendableAccount = (typeof SPENDABLE_ACCOUNTS)[number];

/** What an owner sees of the ledger: from CASH on, the books are the company's. */
export const FIRST_COMPANY_ACCOUNT_NO = LEDGER_ACCOUNTS.CASH;

const NAME_OF = new Map<number, LedgerAccountName>(
  Object.entries(LEDGER_ACCOUNTS).map(([name, number]) => [number, name as LedgerAccountName]),
);

export function ledgerAccountName(accountNo: number): LedgerAccountName {
  const name = NAME_OF.get(accountNo);
  if (!name) throw new Error(`no ledger account has the number ${accountNo}`);
  return name;
}
