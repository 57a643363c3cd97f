import type { TaxRate } from './tax.js';

/** Who sells the credits, as configured. */
export interface Seller {
  readonly name: string;
  readonly addressLines: readonly string[];
  /** Without one, receipts are issued instead of tax invoices. */
  readonly gstin: string | null;
  /** Two digits. */
  readonly stateCode: string | null;
  /** HSN or SAC: the tax code of what is sold. */
  readonly serviceCode: string;
  readonly taxRates: readonly TaxRate[];
  readonly pricesIncludeTax: boolean;
  /** Prefix of this database's numbers; no two databases may share one. One to three characters. */
  readonly series: string;
}
