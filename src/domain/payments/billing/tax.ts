/** One tax and its rate. 1 % is 100 basis points. */
export interface TaxRate {
  readonly name: string;
  readonly basisPoints: number;
}

export interface TaxLine extends TaxRate {
  readonly amountMinor: bigint;
}

/** Amounts in minor units; taxable value + tax lines = total, exactly. */
export interface TaxedAmount {
  readonly taxableMinor: bigint;
  readonly taxes: readonly TaxLine[];
  readonly totalMinor: bigint;
}

const WHOLE = 10_000n;
const RATES = /^[A-Za-z][A-Za-z .-]{0,19}:\d{1,2}(?:\.\d{1,2})?$/;

/** Parses `CGST:9,SGST:9` or `IGST:18`, with rates in percent. `null` for anything else; empty text means no tax. */
export function parseTaxRates(text: string): TaxRate[] | null {
  if (text.trim() === '') return [];
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > 4 || !parts.every((part) => RATES.test(part))) return null;
  return parts.map((part) => {
    const [name, percent] = part.split(':') as [string, string];
    const [whole, fraction = ''] = percent.split('.');
    return { name, basisPoints: Number(whole) * 100 + Number(fraction.padEnd(2, '0')) };
  });
}

/**
 * The rates that apply between two places. For a buyer in another state or country, CGST and SGST become a single IGST.
 * Other taxes, and buyers of unknown state, use the configured rates.
 */
export function ratesBetween(
  rates: readonly TaxRate[],
  seller: { readonly stateCode: string | null },
  buyer: { readonly country: string | null; readonly stateCode: string | null },
): TaxRate[] {
  const isAbroad = buyer.country !== null && buyer.country !== 'IN';
  const isOtherState = buyer.stateCode !== null && seller.stateCode !== null && buyer.stateCode !== seller.stateCode;
  const names = rates.map(({ name }) => name.toUpperCase()).toSorted();
  if (!(isAbroad || isOtherState) || names.join() !== 'CGST,SGST') return [...rates];
  return [{ name: 'IGST', basisPoints: rates.reduce((sum, { basisPoints }) => sum + basisPoints, 0) }];
}

/**
 * Splits the paid amount into value and tax, or adds the tax on top. Each tax is rounded to the nearest minor unit,
 * half up. The taxable value takes the rounding difference, so equal rates give equal amounts.
 */
export function taxOf(amountMinor: bigint, rates: readonly TaxRate[], pricesIncludeTax: boolean): TaxedAmount {
  const sum = rates.reduce((total, { basisPoints }) => total + BigInt(basisPoints), 0n);
  const divisor = pricesIncludeTax ? WHOLE + sum : WHOLE;
  const taxes = rates.map((rate) => ({
    ...rate,
    amountMinor: (amountMinor * BigInt(rate.basisPoints) * 2n + divisor) / (divisor * 2n),
  }));
  const taxMinor = taxes.reduce((total, tax) => total + tax.amountMinor, 0n);
  const taxableMinor = pricesIncludeTax ? amountMinor - taxMinor : amountMinor;
  return { taxableMinor, taxes, totalMinor: taxableMinor + taxMinor };
}

/** 900 → `9`, 250 → `2.5`. */
export function percentOf({ basisPoints }: TaxRate): string {
  return String(basisPoints / 100);
}
