import type { BillingDetails } from './billingDetails.service.js';
import type { Seller } from './seller.js';
import { ratesBetween, taxOf, type TaxedAmount } from './tax.js';

export type InvoiceKind = 'receipt' | 'invoice' | 'credit_note';

/** What an invoice needs of a paid top-up. */
export interface PaidTopUp {
  readonly provider: string;
  readonly paymentId: string;
  readonly isSandbox: boolean;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly microsPerMinor: bigint;
  readonly creditMicros: bigint;
  readonly paidAt: Date;
}

/** A provider's refund of a top-up, as the subject of a credit note. */
export interface PaidRefund {
  readonly refundId: string;
  readonly amountMinor: bigint;
  readonly refundedAt: Date;
  /** Number of the receipt or invoice that it corrects. */
  readonly originalNumber: string;
}

/** Everything printed on a receipt, an invoice or a credit note, as of its issue. */
export interface InvoiceFacts extends TaxedAmount {
  readonly seller: Pick<Seller, 'name' | 'addressLines' | 'gstin' | 'stateCode' | 'serviceCode'>;
  readonly buyer: BillingDetails;
  readonly topUp: PaidTopUp;
  readonly refund: PaidRefund | null;
  /** What was paid or is refunded. */
  readonly amountMinor: bigint;
}

/** The facts of a document issued now. Only sellers with a GSTIN show tax. */
export function invoiceFacts(
  seller: Seller,
  buyer: BillingDetails,
  topUp: PaidTopUp,
  refund: PaidRefund | null,
): InvoiceFacts {
  const amountMinor = refund?.amountMinor ?? topUp.amountMinor;
  const rates = seller.gstin === null ? [] : ratesBetween(seller.taxRates, seller, buyer);
  const { name, addressLines, gstin, stateCode, serviceCode } = seller;
  return {
    seller: { name, addressLines, gstin, stateCode, serviceCode },
    buyer,
    topUp,
    refund,
    amountMinor,
    ...taxOf(amountMinor, rates, seller.pricesIncludeTax),
  };
}

/** Facts as JSON: bigints as text, times in RFC 3339. */
export function storedFacts(facts: InvoiceFacts): string {
  return JSON.stringify(facts, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** Parses what `storedFacts` wrote. */
export function factsOf(stored: StoredFacts): InvoiceFacts {
  const { topUp, refund } = stored;
  return {
    ...stored,
    amountMinor: BigInt(stored.amountMinor),
    taxableMinor: BigInt(stored.taxableMinor),
    totalMinor: BigInt(stored.totalMinor),
    taxes: stored.taxes.map((tax) => ({ ...tax, amountMinor: BigInt(tax.amountMinor) })),
    topUp: {
      ...topUp,
      amountMinor: BigInt(topUp.amountMinor),
      microsPerMinor: BigInt(topUp.microsPerMinor),
      creditMicros: BigInt(topUp.creditMicros),
      paidAt: new Date(topUp.paidAt),
    },
    refund: refund && {
      ...refund,
      amountMinor: BigInt(refund.amountMinor),
      refundedAt: new Date(refund.refundedAt),
    },
  };
}

/** The same types as they are in JSON. */
export type StoredFacts = Stored<InvoiceFacts>;
type Stored<T> = T extends bigint | Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Stored<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Stored<T[Key]> }
      : T;
