import { words } from '#words/ledger.js';
import type { Bucket, LedgerAccount, LedgerEntryType, WalletBalancesFragment } from '../generated/graphql.js';

export interface BucketWords {
  readonly value: Bucket;
  readonly key: 'master' | 'creative' | 'cloud' | 'ai';
  readonly label: string;
  readonly pays: string;
}

/** In the order in which they are shown everywhere. */
export const BUCKETS: readonly BucketWords[] = [
  {
    value: 'MASTER',
    key: 'master',
    label: words.master,
    pays: words.unallocatedTopUpsArrive,
  },
  { value: 'CREATIVE', key: 'creative', label: words.creative, pays: words.paysProcessingAddOns },
  { value: 'CLOUD', key: 'cloud', label: words.cloud, pays: words.paysStorageEveryNight },
  { value: 'AI', key: 'ai', label: 'AI', pays: words.aiFeaturesOnceThere },
];

interface HeldWords {
  readonly key: keyof Pick<WalletBalancesFragment, 'escrow' | 'refundHold' | 'disputeHold'>;
  readonly label: string;
  readonly why: string;
}

/** Credits that belong to the owner but cannot be spent now. */
export const HELD: readonly HeldWords[] = [
  {
    key: 'escrow',
    label: words.setAsideJobs,
    why: words.priceQueuedRunningJobs,
  },
  {
    key: 'refundHold',
    label: words.heldRefund,
    why: words.onWayBackLeaves,
  },
  {
    key: 'disputeHold',
    label: words.heldDispute,
    why: words.payerDisputesPaymentTheir,
  },
];

export const ACCOUNT: Record<LedgerAccount, string> = {
  MASTER: words.master,
  CREATIVE: words.creative,
  CLOUD: words.cloud,
  AI: 'AI',
  ESCROW: words.setAside,
  DEBT: words.debt,
  REFUND_HOLD: words.refundHold,
  DISPUTE_HOLD: words.disputeHold,
};

export const ENTRY: Record<LedgerEntryType, string> = {
  TOPUP: words.topUp,
  ALLOCATION: words.allocation,
  ESCROW_LOCK: words.setAsideProcessing,
  ESCROW_SETTLE: words.processing,
  ESCROW_RELEASE: words.returned,
  STORAGE: words.storage,
  REFERRAL_BONUS: words.referralBonus,
  REFUND: words.refund,
  DISPUTE: words.dispute,
  ADJUSTMENT: words.adjustment,
};
