export interface BudgetOptions {
  /** What a caller may spend at once after being idle. */
  readonly capacity: number;
  /** How much is refilled every second. */
  readonly perSecond: number;
  /** How many callers are remembered. The one idle the longest is forgotten first. */
  readonly maxCallers: number;
  /** A monotonic clock in milliseconds. Defaults to the process's clock. */
  readonly nowMs?: () => number;
}

interface Budget {
  left: number;
  atMs: number;
}

/**
 * Limits what callers may cost this process, with one token bucket per caller. The buckets are in memory, per process:
 * they protect the process, and are not billing.
 */
export class CostBudgets {
  /** In the order of the last charge. */
  readonly #budgets = new Map<string, Budget>();
  readonly #nowMs: () => number;

  constructor(private readonly options: BudgetOptions) {
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  get size(): number {
    return this.#budgets.size;
  }

  /**
   * Takes `cost` unless less than 1 is left. The last charge may overdraw, because a cost is often known only
   * afterwards.
   *
   * @returns 0 if it was taken, else the number of whole seconds until the caller may try again
   */
  charge(caller: string, cost: number): number {
    const { capacity, perSecond, maxCallers } = this.options;
    const nowMs = this.#nowMs();
    const known = this.#budgets.get(caller);
    const left = known ? Math.min(capacity, known.left + ((nowMs - known.atMs) / 1000) * perSecond) : capacity;
    const isTaken = left >= 1;
    if (known) this.#budgets.delete(caller);
    else if (this.#budgets.size >= maxCallers) this.#forgetQuietest();
    this.#budgets.set(caller, { left: isTaken ? left - cost : left, atMs: nowMs });
    return isTaken ? 0 : Math.ceil((1 - left) / perSecond);
  }

  #forgetQuietest(): void {
    for (const caller of this.#budgets.keys()) {
      this.#budgets.delete(caller);
      return;
    }
  }
}
