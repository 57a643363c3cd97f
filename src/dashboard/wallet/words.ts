import type { Bucket, LedgerAccount, LedgerEntryType } from '../generated/graphql.js';

export const BUCKETS: readonly { value: Bucket; label: string; pays: string }[] = [
  { value: 'MASTER', label: 'Master', pays: 'Idle, until you move it' },
  { value: 'CREATIVE', label: 'Creative', pays: 'Processing and add-ons' },
  { value: 'CLOUD', label: 'Cloud', pays: 'Storage, every night' },
  { value: 'AI', label: 'AI', pays: 'Language models, later' },
];

export const ACCOUNT: Record<LedgerAccount, string> = {
  MASTER: 'Master',
  CREATIVE: 'Creative',
  CLOUD: 'Cloud',
  AI: 'AI',
  ESCROW: 'Set aside',
  DEBT: 'Debt',
  REFUND_HOLD: 'Held for a refund',
  DISPUTE_HOLD: 'Held for a dispute',
};

export const ENTRY: Record<LedgerEntryType, string> = {
  TOPUP: 'Top-up',
  ALLOCATION: 'Moved',
  ESCROW_LOCK: 'Set aside for processing',
  ESCROW_SETTLE: 'Processing paid',
  ESCROW_RELEASE: 'Given back',
  STORAGE: 'Storage',
  REFERRAL_BONUS: 'Referral bonus',
  REFUND: 'Refund',
  DISPUTE: 'Dispute',
  ADJUSTMENT: 'Adjustment',
};
