import { videoIdOf } from '../../shared/ids.js';
import type { LedgerAccountName } from '../../ledger/ledgerAccounts.js';
import type { LedgerCause } from '../../ledger/ledgerCause.js';
import type { LedgerTxType } from '../../ledger/ledgerRules.js';

const TYPES: Readonly<Record<LedgerTxType, string>> = {
  TOPUP: 'Top-up',
  ALLOCATION: 'Moved',
  ESCROW_LOCK: 'Set aside for processing',
  ESCROW_SETTLE: 'Processing paid',
  ESCROW_RELEASE: 'Given back from processing',
  STORAGE: 'Storage',
  REFERRAL_BONUS: 'Referral bonus',
  REFUND: 'Refund',
  DISPUTE: 'Dispute',
  ADJUSTMENT: 'Adjustment',
};

const ACCOUNTS: Readonly<Partial<Record<LedgerAccountName, string>>> = {
  MASTER: 'Master',
  CLOUD: 'Cloud',
  AI: 'AI',
  CREATIVE: 'Creative',
  ESCROW: 'Set aside',
  REFUND_HOLD: 'Held: refund',
  DISPUTE_HOLD: 'Held: dispute',
  DEBT: 'Debt',
};

/** The name of a posting's type in documents. */
export function typeInWords(type: LedgerTxType): string {
  return TYPES[type];
}

/** The name of an account of the wallet in documents. */
export function accountInWords(account: LedgerAccountName): string {
  return ACCOUNTS[account] ?? account;
}

/** What happened and why, in one line. */
export function entryInWords(entry: {
  type: LedgerTxType;
  cause: LedgerCause | null;
  videoTitle: string | null;
}): string {
  const { type, cause, videoTitle } = entry;
  switch (cause?.kind) {
    case 'video':
      return `${TYPES[type]}: ${videoTitle ?? `video ${videoIdOf(cause.videoId)}`}`;
    case 'topUp':
      return `${TYPES[type]}: ${cause.provider} ${cause.paymentId}`;
    case 'refund':
      return `${TYPES[type]}: ${cause.provider} ${cause.refundId}`;
    case 'dispute':
      return `${TYPES[type]}: ${cause.provider} ${cause.disputeId}`;
    case 'storage':
      return cause.isReversal ? `Storage on ${cause.date}: charge reversed` : `Storage on ${cause.date}`;
    case 'referral':
      return cause.isClawBack ? 'Referral bonus taken back' : TYPES.REFERRAL_BONUS;
    case 'adjustment':
      return cause.reason === '' ? TYPES[type] : `${TYPES[type]}: ${cause.reason}`;
    case 'allocation':
      return cause.repaysDebt ? 'Debt repaid' : 'Moved between buckets';
    case undefined:
      return TYPES[type];
  }
}
