import type { LedgerAccountName, SpendableAccount } from './ledgerAccounts.js';

/** Micro-credits per account, as part of a posting. */
export type Deltas = Partial<Record<LedgerAccountName, bigint>>;

/** The owner's own accounts as locked by `lockWallet`. DEBT is zero or negative. */
export type LockedBalances = Readonly<
  Record<SpendableAccount | 'ESCROW' | 'REFUND_HOLD' | 'DISPUTE_HOLD' | 'DEBT', bigint>
>;

/** Claws back unallocated credits first, and those for storage last. */
export const CLAWBACK_ORDER = ['MASTER', 'CREATIVE', 'AI', 'CLOUD'] as const satisfies readonly SpendableAccount[];

/** Incoming credits: repays DEBT first, and puts the rest into `into`. */
export function putIn(balances: LockedBalances, amountMicros: bigint, into: SpendableAccount = 'MASTER'): Deltas {
  const repaid = amountMicros < -balances.DEBT ? amountMicros : -balances.DEBT;
  return { DEBT: repaid, [into]: amountMicros - repaid };
}

/** Takes credits without the owner's consent: from the accounts in this order, and what is missing becomes DEBT. */
export function takeOut(
  balances: LockedBalances,
  amountMicros: bigint,
  order: readonly SpendableAccount[] = CLAWBACK_ORDER,
): Deltas {
  const { deltas, missingMicros } = takeWhatIsThere(balances, amountMicros, order);
  return { ...deltas, DEBT: -missingMicros };
}

/** Like {@link takeOut}, but returns what is missing instead of adding it to DEBT. */
export function takeWhatIsThere(
  balances: LockedBalances,
  amountMicros: bigint,
  order: readonly SpendableAccount[] = CLAWBACK_ORDER,
): { deltas: Deltas; missingMicros: bigint } {
  const deltas: Deltas = {};
  let missingMicros = amountMicros;
  for (const account of order) {
    const taken = balances[account] < missingMicros ? balances[account] : missingMicros;
    if (taken > 0n) deltas[account] = -taken;
    missingMicros -= taken;
  }
  return { deltas, missingMicros };
}
