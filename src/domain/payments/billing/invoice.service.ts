import { type Database, execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { isUuid } from '../../shared/ids.js';
import { findBillingDetails, type BillingDetails } from './billingDetails.service.js';
import {
  FIND_INVOICE,
  ISSUE,
  LOCK_SERIES,
  PAID_REFUND,
  PAID_REFUNDS,
  PAID_TOPUP,
  USER_OF,
  type InvoiceRow,
} from './invoice.sql.js';
import {
  factsOf,
  invoiceFacts,
  storedFacts,
  type InvoiceFacts,
  type InvoiceKind,
  type PaidRefund,
  type PaidTopUp,
} from './invoiceFacts.js';
import type { Seller } from './seller.js';

/** An issued document. It never changes. */
export interface Invoice {
  readonly kind: InvoiceKind;
  /** Consecutive per series, kind and financial year; at most 16 characters. */
  readonly number: string;
  readonly issuedAt: Date;
  readonly facts: InvoiceFacts;
}

/** A refund that has a credit note. */
export interface CreditNoteOf {
  readonly refundId: string;
  readonly amountMinor: bigint;
  readonly refundedAt: Date;
}

const LETTER: Readonly<Record<InvoiceKind, string>> = { receipt: 'R', invoice: 'I', credit_note: 'C' };

/**
 * Receipts, tax invoices and credit notes of top-ups.
 *
 * A document is issued when it is first requested: it takes the next number and stores the current seller and buyer. It
 * never changes afterwards.
 */
export class InvoiceService {
  constructor(private readonly deps: { readonly db: Database; readonly seller: Seller }) {}

  /**
   * The receipt of a top-up, or its tax invoice if the seller has a GSTIN.
   *
   * @throws NOT_FOUND if the account has no such top-up, or it was not paid
   */
  async ofTopUp(accountId: string, topUpId: string): Promise<Invoice> {
    if (!isUuid(topUpId)) return notFound();
    return this.issued(accountId, topUpId, '');
  }

  /**
   * The credit note of one processed refund of a top-up. Issues the top-up's receipt first if it has none yet.
   *
   * @throws NOT_FOUND if the account has no such refund
   */
  async creditNote(accountId: string, topUpId: string, refundId: string): Promise<Invoice> {
    if (!isUuid(topUpId) || refundId === '' || refundId.includes('\0')) return notFound();
    return this.issued(accountId, topUpId, refundId);
  }

  /** The processed refunds of each top-up, oldest first, in the order of the ids. */
  async creditNotes(accountId: string, topUpIds: readonly string[]): Promise<CreditNoteOf[][]> {
    const rows = await execute(this.deps.db.sql, PAID_REFUNDS, { accountId, topUpIds });
    const byTopUp = Map.groupBy(rows, (row) => row.topup_id);
    return topUpIds.map((id) =>
      (byTopUp.get(id) ?? []).map((row) => ({
        refundId: row.refund_id,
        amountMinor: BigInt(row.amount_minor),
        refundedAt: new Date(row.provider_created_at),
      })),
    );
  }

  private async issued(accountId: string, topUpId: string, refundId: string): Promise<Invoice> {
    const { db } = this.deps;
    const found = await find(db.sql, accountId, topUpId, refundId);
    if (found) return found;
    // Check before locking, so that a request for something that does not exist neither waits nor takes a number.
    const topUp = await paidTopUp(db.sql, accountId, topUpId);
    const correction = refundId === '' ? null : await this.correction({ accountId, topUpId, refundId });
    return db.transaction(async (tx) => {
      const { sql } = tx;
      await execute(sql, LOCK_SERIES, { series: this.deps.seller.series });
      return (
        (await find(sql, accountId, topUpId, refundId)) ?? this.issue(tx, { accountId, topUpId }, topUp, correction)
      );
    });
  }

  private async correction(of: { accountId: string; topUpId: string; refundId: string }): Promise<Correction> {
    const refund = await paidRefund(this.deps.db.sql, of);
    const original = await this.issued(of.accountId, of.topUpId, '');
    return { original, refund: { ...refund, originalNumber: original.number } };
  }

  private async issue(
    tx: Transaction,
    { accountId, topUpId }: { accountId: string; topUpId: string },
    topUp: PaidTopUp,
    correction: Correction | null,
  ): Promise<Invoice> {
    const { seller } = this.deps;
    const facts = correction
      ? correctedFacts(seller, correction.original, correction.refund)
      : invoiceFacts(seller, await buyerOf(tx, accountId), topUp, null);
    const kind = correction ? 'credit_note' : seller.gstin === null ? 'receipt' : 'invoice';

    const [row] = await execute(tx.sql, ISSUE, {
      accountId,
      topUpId,
      refundId: correction?.refund.refundId ?? '',
      kind,
      series: seller.series,
      facts: storedFacts(facts),
    });
    return invoiceOf(row!);
  }
}

interface Correction {
  readonly refund: PaidRefund;
  readonly original: Invoice;
}

/** A credit note has the parties and tax rates of the document it corrects. */
function correctedFacts(seller: Seller, { facts }: Invoice, refund: PaidRefund): InvoiceFacts {
  const asThen: Seller = { ...seller, ...facts.seller, taxRates: facts.taxes };
  return invoiceFacts(asThen, facts.buyer, facts.topUp, refund);
}

async function find(sql: Sql, accountId: string, topUpId: string, refundId: string): Promise<Invoice | null> {
  const [row] = await execute(sql, FIND_INVOICE, { accountId, topUpId, refundId });
  return row ? invoiceOf(row) : null;
}

async function paidTopUp(sql: Sql, accountId: string, topUpId: string): Promise<PaidTopUp> {
  const [row] = await execute(sql, PAID_TOPUP, { accountId, topUpId });
  if (!row) return notFound();
  return {
    provider: row.provider,
    paymentId: row.payment_id ?? '',
    isSandbox: row.sandbox,
    currency: row.currency,
    amountMinor: BigInt(row.amount_minor),
    microsPerMinor: BigInt(row.micros_per_minor),
    creditMicros: BigInt(row.credit_micros),
    paidAt: new Date(row.paid_at),
  };
}

async function paidRefund(
  sql: Sql,
  { accountId, topUpId, refundId }: { accountId: string; topUpId: string; refundId: string },
): Promise<CreditNoteOf> {
  const [row] = await execute(sql, PAID_REFUND, { accountId, topUpId, refundId });
  if (!row) return notFound();
  return {
    refundId: row.refund_id,
    amountMinor: BigInt(row.amount_minor),
    refundedAt: new Date(row.provider_created_at),
  };
}

/** Without billing details, the buyer is named as in the sign-up. */
async function buyerOf(tx: Transaction, accountId: string): Promise<BillingDetails> {
  const details = await findBillingDetails(tx, accountId);
  const [user] = await execute(tx.sql, USER_OF, { accountId });
  const email = user?.email ?? null;
  if (details) return { ...details, email: details.email ?? email };
  return { legalName: user?.name ?? '', addressLines: [], country: 'IN', stateCode: null, gstin: null, email };
}

function invoiceOf(row: InvoiceRow): Invoice {
  const count = String(row.number).padStart(6, '0');
  return {
    kind: row.kind,
    number: `${row.series}${LETTER[row.kind]}/${row.financial_year}/${count}`,
    issuedAt: new Date(row.issued_at),
    facts: factsOf(row.facts),
  };
}

function notFound(): never {
  throw new AppError('NOT_FOUND', 'Document not found.');
}
