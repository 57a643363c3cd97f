import { siteOf } from '../../../networkAddress.js';
import { CostBudgets, type BudgetOptions } from './costBudgets.js';

/** Requests of one address. A page takes two or three, and an office may share one address. */
const PER_ADDRESS = { capacity: 300, perSecond: 10, maxCallers: 50_000 };
/** Requests of one address that count as quiet: as many as someone makes who opens the sign-in page now and then. */
const QUIET_ADDRESS = { capacity: 40, perSecond: 0.2, maxCallers: 50_000 };
/**
 * Quiet requests of one IPv6 /48. One person may hold one, with 65,536 /64 networks; it gets as much as ten addresses.
 */
const QUIET_SITE = { capacity: 400, perSecond: 2, maxCallers: 50_000 };
/** All visitors of this process, quiet and busy: together about a tenth of the requests it could answer. */
const QUIET_VISITORS = { capacity: 1_500, perSecond: 150, maxCallers: 1 };
const BUSY_VISITORS = { capacity: 500, perSecond: 50, maxCallers: 1 };

export type VisitorBudgetOptions = {
  readonly [Kind in 'perAddress' | 'quietAddress' | 'quietSite' | 'quietVisitors' | 'busyVisitors']?: BudgetOptions;
};

/**
 * Limits the requests of visitors. Quiet addresses have their own share. Using that up takes hundreds of
 * addresses, while a few addresses at full speed can use up only the busy share.
 */
export class VisitorBudgets {
  readonly #perAddress: CostBudgets;
  readonly #quietAddress: CostBudgets;
  readonly #quietSite: CostBudgets;
  readonly #quietVisitors: CostBudgets;
  readonly #busyVisitors: CostBudgets;

  constructor(options: VisitorBudgetOptions = {}) {
    this.#perAddress = new CostBudgets(options.perAddress ?? PER_ADDRESS);
    this.#quietAddress = new CostBudgets(options.quietAddress ?? QUIET_ADDRESS);
    this.#quietSite = new CostBudgets(options.quietSite ?? QUIET_SITE);
    this.#quietVisitors = new CostBudgets(options.quietVisitors ?? QUIET_VISITORS);
    this.#busyVisitors = new CostBudgets(options.busyVisitors ?? BUSY_VISITORS);
  }

  /** Takes one request. @returns 0, or the number of whole seconds until the address may try again */
  charge(caller: string): number {
    const seconds = this.#perAddress.charge(caller, 1);
    if (seconds > 0) return seconds;
    const site = siteOf(caller);
    const isQuiet =
      this.#quietAddress.charge(caller, 1) === 0 && (site === null || this.#quietSite.charge(site, 1) === 0);
    if (isQuiet && this.#quietVisitors.charge('', 1) === 0) return 0;
    return this.#busyVisitors.charge('', 1);
  }
}
