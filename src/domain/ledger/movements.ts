import type { LedgerAccountName, SpendableAccount } from './ledgerAccounts.js';

/** Micro-credits per account: a part of a posting. */
export type Deltas = Partial<Record<LedgerAccountName, bigint>>;

/** The owner's own accounts, as locked by `lockWallet`. DEBT is zero or negative. */
export type LockedBalances = Readonly<
  Record<SpendableAccount | 'ESCROW' | 'REFUND_HOLD' | 'DISPUTE_HOLD' | 'DEBT', bigint>
>;

/** What is clawed back comes from idle credits first, and from those already set aside for storage last. */
export const CLAWBACK_ORDER = ['MASTER', 'CREATIVE', 'AI', 'CLOUD'] as const satisfies readonly SpendableAccount[];

/** Credits coming in: they repay DEBT first, and the rest goes `into` its account. */
export function putIn(balances: LockedBalances, amountMicros: bigint, into: SpendableAccount = 'MASTER'): Deltas {
  const repaid = amountMicros < -balances.DEBT ? amountMicros : -balances.DEBT;
  return { DEBT: repaid, [into]: amountMicros - repaid };
}

/** Credits taken without asking: from the accounts in this order as far as they reach, and the rest becomes DEBT. */
export function takeOut(
  balances: LockedBalances,
  amountMicros: bigint,
  order: readonly SpendableAccount[] = CLAWBACK_ORDER,
): Deltas {
  const { deltas, missingMicros } = takeWhatIsThere(balances, amountMicros, order);
  return { ...deltas, DEBT: -missingMicros };
}

/** Like {@link takeOut}, but what is missing stays missing. */
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
