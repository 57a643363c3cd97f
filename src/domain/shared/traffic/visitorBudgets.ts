import { siteOf } from '../../../networkAddress.js';
import { CostBudgets, type BudgetOptions } from './costBudgets.js';

/** Requests of one visitor's address: a page takes two or three, and an office may share an address. */
const PER_ADDRESS = { capacity: 300, perSecond: 10, maxCallers: 50_000 };
/** Of which so many are quiet: those of somebody who opens the sign-in page now and then. */
const QUIET_ADDRESS = { capacity: 40, perSecond: 0.2, maxCallers: 50_000 };
/** And those of one IPv6 /48, which may hold 65,536 such addresses of one person: as many as ten of them make. */
const QUIET_SITE = { capacity: 400, perSecond: 2, maxCallers: 50_000 };
/** All visitors of this process, together about a tenth of what it could answer: the quiet requests, and the others. */
const QUIET_VISITORS = { capacity: 1_500, perSecond: 150, maxCallers: 1 };
const BUSY_VISITORS = { capacity: 500, perSecond: 50, maxCallers: 1 };

export type VisitorBudgetOptions = {
  readonly [Kind in 'perAddress' | 'quietAddress' | 'quietSite' | 'quietVisitors' | 'busyVisitors']?: BudgetOptions;
};

/**
 * What visitors may ask. Quiet addresses have a share of their own: it takes hundreds of addresses to use that up, while
 * a few that ask as fast as they may use up only the rest.
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

  /** Takes one request. @returns 0, or the whole seconds until the address may ask again */
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
