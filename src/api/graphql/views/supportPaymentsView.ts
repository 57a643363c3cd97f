import type { SuspenseItem as StoredItem } from '../../../domain/payments/support/supportPayments.views.js';
import type { TopUpDetails } from '../../../domain/payments/topUps/topUpDetails.js';
import type { SupportTopUp, SuspenseItem } from '../types/supportPayments.js';
import { topUpFields } from './topUpView.js';

export function suspenseItemView(item: StoredItem): SuspenseItem {
  return { ...item, amountMinor: item.amountMinor.toString(), credits: item.amountMicros };
}

/** Leaves out the checkout, which only the payer may use. */
export function supportTopUpView(topUp: TopUpDetails): SupportTopUp {
  return {
    ...topUpFields(topUp),
    checkout: null,
    accountId: topUp.accountId,
    orderId: topUp.orderId,
    paymentId: topUp.paymentId,
  };
}
