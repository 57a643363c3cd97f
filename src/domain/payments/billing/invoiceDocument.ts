import type { PrintedDocument, PrintedFact, PrintedParty } from '../../../ports/documents.js';
import { formatCredits } from '../../ledger/credits.js';
import type { Invoice } from './invoice.service.js';
import type { InvoiceFacts } from './invoiceFacts.js';
import { percentOf } from './tax.js';

const TITLES = { receipt: 'Receipt', invoice: 'Tax invoice', credit_note: 'Credit note' } as const;
const SIGNS: Readonly<Record<string, string>> = { INR: '₹', USD: 'US$' };

export function titleOf({ kind }: Pick<Invoice, 'kind'>): string {
  return TITLES[kind];
}

/** The name of the printed file. Numbers have slashes. */
export function fileNameOf({ number }: Pick<Invoice, 'number'>): string {
  return `${number.replaceAll('/', '-')}.pdf`;
}

/** Lays out a receipt, invoice or credit note for printing, from its stored facts alone. */
export function invoiceDocument({ kind, number, issuedAt, facts }: Invoice): PrintedDocument {
  const { seller, buyer, topUp, refund } = facts;
  const isTaxed = seller.gstin !== null;
  return {
    title: TITLES[kind],
    subtitle: topUp.isSandbox ? 'Sandbox: no money has moved' : '',
    author: seller.name,
    date: issuedAt,
    facts: [
      { label: 'Number', value: number },
      { label: 'Issued on', value: day(issuedAt) },
      refund ? { label: 'Corrects', value: refund.originalNumber } : { label: 'Paid on', value: day(topUp.paidAt) },
      ...(refund ? [{ label: 'Refunded on', value: day(refund.refundedAt) }] : []),
      ...(refund ? [{ label: 'Refund', value: refund.refundId }] : []),
      { label: 'Payment', value: `${topUp.provider} ${topUp.paymentId}` },
      ...(isTaxed ? [{ label: 'Place of supply', value: placeOfSupply(facts) }] : []),
    ],
    parties: [
      party('Seller', seller.name, seller.addressLines, [
        seller.gstin && `GSTIN ${seller.gstin}`,
        seller.stateCode && `State code ${seller.stateCode}`,
      ]),
      party('Buyer', buyer.legalName, buyer.addressLines, [
        buyer.country === 'IN' ? null : buyer.country,
        buyer.gstin && `GSTIN ${buyer.gstin}`,
        buyer.stateCode && `State code ${buyer.stateCode}`,
        buyer.email,
      ]),
    ],
    sections: [
      {
        kind: 'table',
        title: null,
        columns: [
          { heading: 'Description', weight: 6, align: 'left' },
          { heading: 'HSN/SAC', weight: 2, align: 'left' },
          { heading: 'Amount', weight: 2.5, align: 'right' },
        ],
        rows: [[[descriptionOf(facts), seller.serviceCode, money(facts.taxableMinor, topUp.currency)]]],
        emptyText: '',
      },
      { kind: 'totals', rows: totalsOf(facts) },
      { kind: 'note', text: 'Made by a computer; valid without a signature.' },
    ],
    footer: `${seller.name} · ${TITLES[kind]} ${number}`,
  };
}

function descriptionOf({ topUp, refund, amountMinor }: InvoiceFacts): string {
  const credits = formatCredits(refund ? amountMinor * topUp.microsPerMinor : topUp.creditMicros);
  const rate =
    topUp.currency === 'INR' ? '' : `, ${formatCredits(topUp.microsPerMinor * 100n)} credits per ${topUp.currency}`;
  return refund ? `Refund of ${credits} credits${rate}` : `${credits} credits for video hosting${rate}`;
}

function totalsOf({ taxableMinor, taxes, totalMinor, amountMinor, topUp, refund }: InvoiceFacts): PrintedFact[] {
  const amount = (label: string, minor: bigint) => ({ label, value: money(minor, topUp.currency) });
  return [
    ...(taxes.length === 0
      ? []
      : [
          amount('Taxable value', taxableMinor),
          ...taxes.map((tax) => amount(`${tax.name} ${percentOf(tax)} %`, tax.amountMinor)),
        ]),
    ...(totalMinor === amountMinor ? [] : [amount(refund ? 'Given back' : 'Paid', amountMinor)]),
    amount('Total', totalMinor),
  ];
}

function placeOfSupply({ seller, buyer }: InvoiceFacts): string {
  if (buyer.country !== 'IN') return buyer.country;
  return buyer.stateCode ?? seller.stateCode ?? 'IN';
}

function party(
  label: string,
  name: string,
  address: readonly string[],
  rest: readonly (string | null)[],
): PrintedParty {
  return { label, lines: [name, ...address, ...rest].filter((line) => line !== null && line !== '') as string[] };
}

/** Formats paise or cents with the digit grouping of the currency's readers: ₹1,23,456.00. */
export function money(amountMinor: bigint, currency: string): string {
  const grouped = (amountMinor / 100n).toLocaleString(currency === 'INR' ? 'en-IN' : 'en-US');
  return `${SIGNS[currency] ?? `${currency} `}${grouped}.${(amountMinor % 100n).toString().padStart(2, '0')}`;
}

/** Documents use dates in Indian time. */
function day(time: Date): string {
  return time.toLocaleDateString('en-IN', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'Asia/Kolkata' });
}
