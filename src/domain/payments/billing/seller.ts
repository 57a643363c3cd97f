import type { TaxRate } from './tax.js';

/** Who sells the credits, from the settings. */
export interface Seller {
  readonly name: string;
  readonly addressLines: readonly string[];
  /** Without one, receipts are issued in the place of tax invoices. */
  readonly gstin: string | null;
  /** Two digits. */
  readonly stateCode: string | null;
  /** HSN or SAC: what is sold, in the tax office's words. */
  readonly serviceCode: string;
  readonly taxRates: readonly TaxRate[];
  readonly pricesIncludeTax: boolean;
  /** Of the numbers that this database gives: numbers of two databases must differ. One to three characters. */
  readonly series: string;
}
