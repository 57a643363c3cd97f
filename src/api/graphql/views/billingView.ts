import type { CreditNoteOf } from '../../../domain/payments/billing/invoice.service.js';
import type { MonthBalance } from '../../../domain/payments/billing/statement.service.js';
import type { CreditNote, Statement } from '../types/billing.js';

export function statementView({ month, isToDate, openingMicros, closingMicros }: MonthBalance): Statement {
  return {
    month,
    isToDate,
    opening: openingMicros,
    closing: closingMicros,
    csvUrl: `/documents/statements/${month}.csv`,
    pdfUrl: `/documents/statements/${month}.pdf`,
  };
}

/** The address of the receipt or tax invoice of a paid top-up. */
export function receiptUrl(topUpId: string): string {
  return `/documents/top-ups/${topUpId}/receipt.pdf`;
}

export function creditNoteView(topUpId: string, { refundId }: CreditNoteOf): CreditNote {
  return { refundId, pdfUrl: `/documents/top-ups/${topUpId}/credit-notes/${encodeURIComponent(refundId)}.pdf` };
}
