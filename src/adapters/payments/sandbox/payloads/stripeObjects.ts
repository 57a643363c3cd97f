import type Stripe from 'stripe';

import { derivedId } from './ids.js';
import { epochSecondsOf, type DisputeSnapshot, type EventSubject, type RefundSnapshot } from './snapshots.js';

/** Stripe's objects, with the SDK's types: a missing field does not compile. */

function metadataOf({ order }: EventSubject): Record<string, string> {
  return { account_id: order.accountId, topup_id: order.topUpId };
}

function chargeOf({ payment }: EventSubject): string {
  return derivedId('ch', payment.paymentId, 24);
}

/** A completed checkout session in `payment` mode. */
export function sessionObject(subject: EventSubject, paid: boolean): Stripe.Checkout.Session {
  const { order, payment } = subject;
  const amount = Number(payment.amountMinor);
  return {
    id: order.orderId,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    branding_settings: {
      background_color: '#ffffff',
      border_style: 'rounded',
      button_color: '#0b7485',
      display_name: 'Dhara',
      font_family: 'default',
      icon: null,
      logo: null,
    },
    cancel_url: order.returnUrl,
    client_reference_id: order.topUpId,
    client_secret: null,
    collected_information: { business_name: null, individual_name: null, shipping_details: null },
    consent: null,
    consent_collection: null,
    created: epochSecondsOf(order.createdAt),
    currency: order.currency.toLowerCase(),
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: null,
    customer_account: null,
    customer_creation: 'if_required',
    customer_details: {
      address: { city: null, country: 'US', line1: null, line2: null, postal_code: '94107', state: null },
      business_name: null,
      email: payment.payerEmail,
      individual_name: null,
      name: 'Sandbox Payer',
      phone: null,
      tax_exempt: 'none',
      tax_ids: [],
    },
    customer_email: payment.payerEmail,
    discounts: [],
    expires_at: epochSecondsOf(order.expiresAt),
    integration_identifier: null,
    invoice: null,
    invoice_creation: {
      enabled: false,
      invoice_data: {
        account_tax_ids: null,
        custom_fields: null,
        description: null,
        footer: null,
        issuer: null,
        metadata: {},
        rendering_options: null,
      },
    },
    livemode: false,
    locale: null,
    managed_payments: { enabled: false },
    metadata: metadataOf(subject),
    mode: 'payment',
    origin_context: null,
    payment_intent: payment.paymentId,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: paid ? 'paid' : 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'complete',
    submit_type: null,
    subscription: null,
    success_url: order.returnUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: null,
    wallet_options: null,
  };
}

export function refundObject(
  subject: EventSubject,
  refund: RefundSnapshot,
  status: 'pending' | 'succeeded' | 'failed',
) {
  const metadata = refund.requestKey === null ? {} : { request_key: refund.requestKey, ...metadataOf(subject) };
  return {
    id: refund.refundId,
    object: 'refund',
    amount: Number(refund.amountMinor),
    balance_transaction: derivedId('txn', refund.refundId, 24),
    charge: chargeOf(subject),
    created: epochSecondsOf(refund.createdAt),
    currency: subject.order.currency.toLowerCase(),
    customer: null,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    ...(status === 'failed' ? { failure_reason: 'expired_or_canceled_card' } : {}),
    metadata,
    payment_intent: subject.payment.paymentId,
    payment_method: derivedId('pm', subject.payment.paymentId, 24),
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status,
    transfer_reversal: null,
  } satisfies Stripe.Refund;
}

const RESPONSE_SECONDS = 9 * 24 * 3600;

export function disputeObject(
  subject: EventSubject,
  dispute: DisputeSnapshot,
  status: 'needs_response' | 'under_review' | 'won' | 'lost',
): Stripe.Dispute {
  return {
    id: dispute.disputeId,
    object: 'dispute',
    amount: Number(dispute.amountMinor),
    balance_transactions: [],
    charge: chargeOf(subject),
    created: epochSecondsOf(dispute.createdAt),
    currency: subject.order.currency.toLowerCase(),
    enhanced_eligibility_types: [],
    evidence: {
      access_activity_log: null,
      billing_address: null,
      cancellation_policy: null,
      cancellation_policy_disclosure: null,
      cancellation_rebuttal: null,
      customer_communication: null,
      customer_email_address: subject.payment.payerEmail,
      customer_name: 'Sandbox Payer',
      customer_purchase_ip: null,
      customer_signature: null,
      duplicate_charge_documentation: null,
      duplicate_charge_explanation: null,
      duplicate_charge_id: null,
      enhanced_evidence: {},
      product_description: null,
      receipt: null,
      refund_policy: null,
      refund_policy_disclosure: null,
      refund_refusal_explanation: null,
      service_date: null,
      service_documentation: null,
      shipping_address: null,
      shipping_carrier: null,
      shipping_date: null,
      shipping_documentation: null,
      shipping_tracking_number: null,
      uncategorized_file: null,
      uncategorized_text: null,
    },
    evidence_details: {
      due_by: epochSecondsOf(dispute.createdAt) + RESPONSE_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    network_reason_code: '10.4',
    payment_intent: subject.payment.paymentId,
    payment_method_details: {
      card: { brand: 'visa', case_type: 'chargeback', network: 'visa', network_reason_code: '10.4' },
      type: 'card',
    },
    reason: 'fraudulent',
    status,
  };
}
