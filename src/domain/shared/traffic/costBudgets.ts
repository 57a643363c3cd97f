export interface BudgetOptions {
  /** What a caller who was quiet may spend at once. */
  readonly capacity: number;
  /** What comes back every second. */
  readonly perSecond: number;
  /** Callers that are remembered. The one that has been quiet for longest is forgotten first. */
  readonly maxCallers: number;
  /** Milliseconds on a clock that only goes forward; the process's where left out. */
  readonly nowMs?: () => number;
}

interface Budget {
  left: number;
  atMs: number;
}

/**
 * What callers may cost this process: a bucket each, which fills at a steady rate. Held in memory and per process: it
 * protects the process, and charges nobody.
 */
export class CostBudgets {
  /** In the order of their last charge. */
  readonly #budgets = new Map<string, Budget>();
  readonly #nowMs: () => number;

  constructor(private readonly options: BudgetOptions) {
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  get size(): number {
    return this.#budgets.size;
  }

  /**
   * Takes `cost`, unless less than 1 is left. The last charge may overdraw: what it costs is often known only afterwards.
   *
   * @returns 0 where it was taken, else the whole seconds until a caller may ask again
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
