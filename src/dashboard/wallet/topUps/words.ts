import { words } from '#words/wallet.js';
import type {
  PaymentProviderName,
  TopUpDisputeState,
  TopUpRefundState,
  TopUpRowFragment,
  TopUpStatus,
} from '../../generated/graphql.js';
import type { StateKind } from '../StateTag.js';

export const PROVIDER: Record<PaymentProviderName, { readonly label: string; readonly ways: string }> = {
  RAZORPAY: { label: words.topUpState.razorpay, ways: words.topUpState.upiCardsNetBanking },
  STRIPE: { label: words.topUpState.stripe, ways: words.topUpState.cardsFromAnywhere },
};

interface StatusWords {
  readonly label: string;
  readonly kind: StateKind;
}

const STATUS: Record<TopUpStatus, StatusWords> = {
  OPENING: { label: words.topUpState.opening, kind: 'plain' },
  OPEN: { label: words.topUpState.notPaidYet, kind: 'open' },
  PAID: { label: words.topUpState.credited, kind: 'good' },
  EXPIRED: { label: words.topUpState.expired, kind: 'plain' },
};

export const REFUND: Record<TopUpRefundState, StatusWords & { readonly why: string }> = {
  REQUESTED: { label: words.topUpState.requested, kind: 'open', why: words.topUpState.wereAskingProviderCredits },
  PENDING: { label: words.topUpState.progress, kind: 'open', why: words.topUpState.providerProcessingBanksTake },
  PROCESSED: { label: words.topUpState.refunded, kind: 'good', why: words.topUpState.moneyOnWayPayer },
  FAILED: { label: words.topUpState.failed, kind: 'bad', why: words.topUpState.providerCouldNotRefund },
  REFUSED: { label: words.topUpState.refused, kind: 'bad', why: words.topUpState.providerRefusedCreditsBack },
};

export const DISPUTE: Record<TopUpDisputeState, StatusWords & { readonly why: string }> = {
  OPEN: { label: words.topUpState.open, kind: 'bad', why: words.topUpState.payersBankDecidesUntil },
  WON: { label: words.topUpState.won, kind: 'good', why: words.topUpState.bankDecidedHeldCredits },
  LOST: { label: words.topUpState.lost, kind: 'bad', why: words.topUpState.bankReturnedMoneyPayer },
};

/** One or two words for the state of a top-up, including refunds and disputes. */
export function statusOf({
  status,
  refunds,
  disputes,
  refundableAmount,
  webhookMissingSince,
}: TopUpRowFragment): StatusWords {
  if (status !== 'PAID') {
    return webhookMissingSince ? { label: words.topUpState.paidAwaitingConfirmation, kind: 'open' } : STATUS[status];
  }
  if (disputes.some(({ state }) => state === 'OPEN')) return { label: words.topUpState.disputed, kind: 'bad' };
  if (disputes.some(({ state }) => state === 'LOST')) return { label: words.topUpState.disputeLost, kind: 'bad' };
  if (refunds.some(({ state }) => state === 'REQUESTED' || state === 'PENDING')) {
    return { label: words.topUpState.refundProgress, kind: 'open' };
  }
  if (refunds.some(({ state }) => state === 'PROCESSED')) {
    return {
      label: Number(refundableAmount) === 0 ? words.topUpState.refunded : words.topUpState.partiallyRefunded,
      kind: 'plain',
    };
  }
  return STATUS.PAID;
}
