import type { SpendableAccount } from '../../ledger/ledgerAccounts.js';
import {
  CLAWBACK_ORDER,
  putIn,
  takeOut,
  takeWhatIsThere,
  type Deltas,
  type LockedBalances,
} from '../../ledger/movements.js';

/** Micro-credits by the account they were taken from; DEBT is what could not be taken. All are zero or more. */
export type Sources = Partial<Record<SpendableAccount | 'DEBT', bigint>>;

/**
 * The owner's wallet while one payment is being settled.
 *
 * What was taken back for a payment is a stack over the accounts in claw-back order: at the bottom `taken` for good
 * (refunds, lost disputes), above it `held` for open disputes. Growing and shrinking either part keeps that order, so
 * the same facts end in the same balances, whichever came first. Each method returns the deltas it made, without their
 * counterpart (CASH).
 */
export class Working {
  balances: Record<keyof LockedBalances, bigint>;
  readonly taken: Sources;
  readonly held: Sources;

  constructor(balances: LockedBalances, stack: { taken: Sources; held: Sources }) {
    this.balances = { ...balances };
    this.taken = { ...stack.taken };
    this.held = { ...stack.held };
  }

  /** Incoming credits: repay DEBT first, then go to MASTER. */
  putIn(amountMicros: bigint): Deltas {
    return this.apply(putIn(this.balances, amountMicros));
  }

  /** Takes `amountMicros` for good: first from what disputes hold, then from the wallet. The rest becomes DEBT. */
  take(amountMicros: bigint): Deltas {
    let restMicros = amountMicros;
    let freedMicros = 0n;
    for (const account of CLAWBACK_ORDER) {
      const part = least(this.held[account] ?? 0n, restMicros);
      this.held[account] = (this.held[account] ?? 0n) - part;
      this.taken[account] = (this.taken[account] ?? 0n) + part;
      restMicros -= part;
      freedMicros += part;
    }
    const fromWallet = takeOut(this.balances, restMicros);
    for (const account of [...CLAWBACK_ORDER, 'DEBT'] as const) {
      this.taken[account] = (this.taken[account] ?? 0n) - (fromWallet[account] ?? 0n);
    }
    return sum(this.apply({ DISPUTE_HOLD: -freedMicros }), this.apply(fromWallet));
  }

  /**
   * Returns what was taken last: repays DEBT by its part, and returns the rest to the accounts it came from, or to the
   * hold of an open dispute.
   */
  giveBack(amountMicros: bigint, { intoHold }: { intoHold: boolean }): Deltas {
    const debtMicros = least(this.taken.DEBT ?? 0n, amountMicros);
    this.taken.DEBT = (this.taken.DEBT ?? 0n) - debtMicros;
    const given = [this.putIn(debtMicros)];
    let restMicros = amountMicros - debtMicros;
    for (const account of CLAWBACK_ORDER.toReversed()) {
      const part = least(this.taken[account] ?? 0n, restMicros);
      this.taken[account] = (this.taken[account] ?? 0n) - part;
      restMicros -= part;
      if (intoHold) this.held[account] = (this.held[account] ?? 0n) + part;
      given.push(this.apply({ [intoHold ? 'DISPUTE_HOLD' : account]: part }));
    }
    return sum(...given);
  }

  /** Makes disputes hold `targetMicros`, or as much as there is. Excess returns to where it came from. */
  hold(targetMicros: bigint): Deltas {
    let excessMicros = total(this.held) - targetMicros;
    if (excessMicros < 0n) {
      const { deltas } = takeWhatIsThere(this.balances, -excessMicros);
      for (const account of CLAWBACK_ORDER) {
        this.held[account] = (this.held[account] ?? 0n) - (deltas[account] ?? 0n);
      }
      const heldMicros = -CLAWBACK_ORDER.reduce((all, account) => all + (deltas[account] ?? 0n), 0n);
      return this.apply({ ...deltas, DISPUTE_HOLD: heldMicros });
    }
    const released: Deltas[] = [];
    for (const account of CLAWBACK_ORDER.toReversed()) {
      const part = least(this.held[account] ?? 0n, excessMicros);
      this.held[account] = (this.held[account] ?? 0n) - part;
      excessMicros -= part;
      released.push(this.apply({ [account]: part, DISPUTE_HOLD: -part }));
    }
    return sum(...released);
  }

  /** What our own request holds leaves REFUND_HOLD. */
  leaveRefundHold(amountMicros: bigint): Deltas {
    return this.apply({ REFUND_HOLD: -amountMicros });
  }

  private apply(deltas: Deltas): Deltas {
    for (const [account, delta] of Object.entries(deltas) as [keyof LockedBalances, bigint][]) {
      this.balances[account] += delta;
    }
    return deltas;
  }
}

/** Adds up the deltas, account by account. */
export function sum(...parts: readonly Deltas[]): Deltas {
  const all: Deltas = {};
  for (const part of parts) {
    for (const [account, delta] of Object.entries(part) as [keyof Deltas, bigint][]) {
      all[account] = (all[account] ?? 0n) + delta;
    }
  }
  return all;
}

/** Adds `account` as the counterpart, so that the deltas sum to zero. */
export function against(account: 'CASH', deltas: Deltas): Deltas {
  const open = Object.values(deltas).reduce((all, delta) => all + delta, 0n);
  return sum(deltas, { [account]: -open });
}

/** True if nothing would be posted. */
export function isNothing(deltas: Deltas): boolean {
  return Object.values(deltas).every((delta) => delta === 0n);
}

function total(sources: Sources): bigint {
  return Object.values(sources).reduce((all, micros) => all + micros, 0n);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
