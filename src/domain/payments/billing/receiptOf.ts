import { Writable } from 'node:stream';

import { AppError } from '../../../errors.js';
import type { DocumentWriter } from '../../../ports/documents.js';
import type { EmailData, EmailKind, Enclosure } from '../../../ports/emails.js';
import type { Invoice, InvoiceService } from './invoice.service.js';
import { fileNameOf, invoiceDocument, money, titleOf } from './invoiceDocument.js';

/** A receipt has one page or two. Longer than this, the mail server does not answer. */
const PRINT_TIMEOUT_MS = 30_000;

/**
 * Prints what belongs to an email about money: the receipt or tax invoice of a top-up, the credit note of a refund. It
 * is the document that the dashboard offers, with the same number and the same bytes.
 */
export function receiptOf(invoices: Pick<InvoiceService, 'ofTopUp' | 'creditNote'>, writer: DocumentWriter) {
  return async (accountId: string, kind: EmailKind, data: EmailData[EmailKind]): Promise<Enclosure | null> => {
    const invoice = await found(invoiceFor(invoices, accountId, kind, data));
    if (invoice === null) return null;
    const { facts, number } = invoice;
    const isNote = invoice.kind === 'credit_note';
    return {
      facts: [
        [titleOf(invoice), number],
        [isNote ? 'Refunded' : 'Paid', money(facts.totalMinor, facts.topUp.currency)],
        ...(facts.topUp.isSandbox ? [['Sandbox', 'No money has moved.'] as const] : []),
      ],
      fileName: fileNameOf(invoice),
      mediaType: writer.mediaType,
      content: await printed(invoice, writer),
    };
  };
}

function invoiceFor(
  invoices: Pick<InvoiceService, 'ofTopUp' | 'creditNote'>,
  accountId: string,
  kind: EmailKind,
  data: EmailData[EmailKind],
): Promise<Invoice> | null {
  if (kind === 'topup.credited') {
    return invoices.ofTopUp(accountId, (data as EmailData['topup.credited']).topUpId);
  }
  if (kind !== 'refund.booked') return null;
  const { topUpId, refundId } = data as EmailData['refund.booked'];
  return invoices.creditNote(accountId, topUpId, refundId);
}

/** A refund that the provider has only announced has no credit note yet: the email goes without. */
async function found(invoice: Promise<Invoice> | null): Promise<Invoice | null> {
  try {
    return await invoice;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

async function printed(invoice: Invoice, writer: DocumentWriter): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  const into = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  await writer.write(invoiceDocument(invoice), into, AbortSignal.timeout(PRINT_TIMEOUT_MS));
  return Buffer.concat(chunks);
}
