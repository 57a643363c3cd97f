import { formatAmount, TOPUP_LIMITS } from '../../../domain/payments/topUps/amounts.js';
import type { PaymentOffer } from '../../../domain/payments/topUps/topUp.service.js';
import type { TopUpDetails } from '../../../domain/payments/topUps/topUpDetails.js';
import type { PaymentProvider, TopUp } from '../types/topUp.js';

const MINOR_PER_UNIT = 100n;

export function paymentProviderView({ provider, rate }: PaymentOffer): PaymentProvider {
  const { minMinor, maxMinor } = TOPUP_LIMITS[provider.currency];
  return {
    name: provider.name,
    currency: provider.currency,
    sandbox: provider.sandbox,
    minAmount: formatAmount(minMinor),
    maxAmount: formatAmount(maxMinor),
    creditsPerUnit: rate && rate.microsPerMinor * MINOR_PER_UNIT,
    rateAsOf: rate && rate.rateAsOf,
    quoteMinutes: rate && rate.validMinutes,
  };
}

export function topUpView(topUp: TopUpDetails): TopUp {
  return topUpFields(topUp);
}

/** The fields as a plain object, to be extended. */
export function topUpFields(topUp: TopUpDetails) {
  const { checkout } = topUp;
  return {
    id: topUp.id,
    provider: topUp.provider,
    sandbox: topUp.sandbox,
    status: topUp.status,
    currency: topUp.currency,
    amount: formatAmount(topUp.amountMinor),
    credits: topUp.creditMicros,
    creditsPerUnit: topUp.microsPerMinor * MINOR_PER_UNIT,
    rateAsOf: topUp.rateAsOf,
    createdAt: topUp.createdAt,
    expiresAt: topUp.expiresAt,
    checkout: topUp.status === 'open' && checkout !== null ? checkout : null,
    creditedAt: topUp.creditedAt,
    webhookMissingSince: topUp.webhookMissingSince,
    refunds: topUp.refunds.map((refund) => ({ ...refund, amount: formatAmount(refund.amountMinor) })),
    disputes: topUp.disputes.map((dispute) => ({ ...dispute, amount: formatAmount(dispute.amountMinor) })),
    refundableAmount: formatAmount(topUp.refundableMinor),
  };
}
