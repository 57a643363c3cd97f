import type { Bucket, LedgerAccount, LedgerEntryType, WalletBalancesFragment } from '../generated/graphql.js';

export interface BucketWords {
  readonly value: Bucket;
  readonly key: 'master' | 'creative' | 'cloud' | 'ai';
  readonly label: string;
  readonly pays: string;
}

/** In the order in which they stand beside each other everywhere. */
export const BUCKETS: readonly BucketWords[] = [
  {
    value: 'MASTER',
    key: 'master',
    label: 'Master',
    pays: 'Unallocated. Top-ups arrive here, refunds leave from here.',
  },
  { value: 'CREATIVE', key: 'creative', label: 'Creative', pays: 'Pays for processing and its add-ons.' },
  { value: 'CLOUD', key: 'cloud', label: 'Cloud', pays: 'Pays for storage, every night.' },
  { value: 'AI', key: 'ai', label: 'AI', pays: 'For AI features, once there are some.' },
];

interface HeldWords {
  readonly key: keyof Pick<WalletBalancesFragment, 'escrow' | 'refundHold' | 'disputeHold'>;
  readonly label: string;
  readonly why: string;
}

/** What is the owner's, and cannot be spent at the moment. */
export const HELD: readonly HeldWords[] = [
  {
    key: 'escrow',
    label: 'Set aside for jobs',
    why: 'The price of what is queued or running. What is not delivered comes back.',
  },
  {
    key: 'refundHold',
    label: 'Held for a refund',
    why: 'On its way back to you. It leaves once the provider has carried the refund out.',
  },
  {
    key: 'disputeHold',
    label: 'Held for a dispute',
    why: 'The payer disputes a payment with their bank. It comes back if the bank turns that down.',
  },
];

export const ACCOUNT: Record<LedgerAccount, string> = {
  MASTER: 'Master',
  CREATIVE: 'Creative',
  CLOUD: 'Cloud',
  AI: 'AI',
  ESCROW: 'Set aside',
  DEBT: 'Debt',
  REFUND_HOLD: 'Refund hold',
  DISPUTE_HOLD: 'Dispute hold',
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
