/**
 * The sample events of Razorpay's documentation (docs: Webhooks → Payments, Orders, Refunds, Disputes), field by field.
 */
import { disputeSample, refundSample } from './razorpayLaterSamples.js';
import { NO_ERROR, PAYER, sampleEvent, type Json } from './razorpaySampleParts.js';

const UPI = { payer_account_type: 'credit_card', vpa: 'gaurav.kumar@upi', flow: 'intent' };

function upiPayment(status: string, more: Json): Json {
  return {
    id: 'pay_DESyzxuld02Zul',
    entity: 'payment',
    amount: 100,
    currency: 'INR',
    status,
    order_id: 'order_DESxiijbl9xjDB',
    invoice_id: null,
    international: false,
    method: 'upi',
    amount_refunded: 0,
    refund_status: null,
    captured: status === 'captured',
    description: null,
    card_id: null,
    bank: null,
    wallet: null,
    vpa: 'gaurav.kumar@upi',
    ...PAYER,
    notes: [],
    fee: null,
    tax: null,
    ...NO_ERROR,
    acquirer_data: { rrn: '0125836177' },
    created_at: 1_567_675_356,
    upi: UPI,
    ...more,
  };
}

const CARD_PAYMENT = {
  acquirer_data: { auth_code: '828553', rrn: '322206890934' },
  amount: 100,
  amount_refunded: 0,
  amount_transferred: 0,
  bank: null,
  captured: true,
  card: {
    emi: false,
    entity: 'card',
    id: 'card_DESp9fNnu0RoNc',
    iin: '999999',
    international: false,
    issuer: null,
    last4: '0153',
    name: 'Gaurav Kumar',
    network: 'Visa',
    sub_type: 'business',
    type: 'debit',
  },
  card_id: 'card_DESp9fNnu0RoNc',
  ...PAYER,
  created_at: 1_567_674_797,
  currency: 'INR',
  description: null,
  entity: 'payment',
  error_code: '',
  error_description: '',
  error_reason: null,
  error_source: null,
  error_step: null,
  fee: null,
  id: 'pay_DESp9bgForNoUd',
  international: false,
  invoice_id: null,
  method: 'card',
  notes: [],
  order_id: 'order_DESoU0U4ikYA19',
  refund_status: null,
  status: 'captured',
  tax: null,
  token_id: 'token_MOfFlFTC1CBDOi',
  vpa: null,
  wallet: null,
};

const FAILED_PAYMENT = {
  id: 'pay_DEAU825sJlCbGa',
  entity: 'payment',
  amount: 50_000,
  currency: 'INR',
  status: 'failed',
  order_id: 'order_DEATVTRRctwEGb',
  invoice_id: null,
  international: false,
  method: 'netbanking',
  amount_refunded: 0,
  refund_status: null,
  captured: false,
  description: null,
  card_id: null,
  bank: 'HDFC',
  wallet: null,
  vpa: null,
  ...PAYER,
  notes: [],
  fee: null,
  tax: null,
  error_code: 'BAD_REQUEST_ERROR',
  error_description: 'Payment failed',
  error_source: 'bank',
  error_step: 'payment_authorization',
  error_reason: 'payment_failed',
  acquirer_data: { bank_transaction_id: null },
  created_at: 1_567_610_214,
};

const ORDER_PAID_PAYMENT = {
  id: 'pay_DESlfW9H8K9uqM',
  entity: 'payment',
  amount: 100,
  currency: 'INR',
  status: 'captured',
  order_id: 'order_DESlLckIVRkHWj',
  invoice_id: null,
  international: false,
  method: 'netbanking',
  amount_refunded: 0,
  refund_status: null,
  captured: true,
  description: null,
  card_id: null,
  bank: 'HDFC',
  wallet: null,
  vpa: null,
  ...PAYER,
  notes: [],
  fee: 2,
  tax: 0,
  error_code: null,
  error_description: null,
  created_at: 1_567_674_599,
};

const PAID_ORDER = {
  id: 'order_DESlLckIVRkHWj',
  entity: 'order',
  amount: 100,
  amount_paid: 100,
  amount_due: 0,
  currency: 'INR',
  receipt: 'rcptid #1',
  offer_id: null,
  status: 'paid',
  attempts: 1,
  notes: [],
  created_at: 1_567_674_581,
};

const MERCHANT = 'acc_BFQ7uQEaa7j2z7';
const CAPTURED_MORE = { base_amount: 100, amount_transferred: 0, fee: 2, tax: 0 };

export const RAZORPAY_SAMPLES: Record<string, Json> = {
  'payment.authorized': sampleEvent('payment.authorized', MERCHANT, 1_567_675_356, {
    payment: upiPayment('authorized', {}),
  }),
  'payment.captured': sampleEvent('payment.captured', MERCHANT, 1_567_675_356, {
    payment: upiPayment('captured', CAPTURED_MORE),
  }),
  'payment.failed': sampleEvent('payment.failed', MERCHANT, 1_567_610_215, { payment: FAILED_PAYMENT }),
  'order.paid': sampleEvent('order.paid', MERCHANT, 1_567_674_606, { payment: ORDER_PAID_PAYMENT, order: PAID_ORDER }),
  'refund.created': refundSample('refund.created', 'processed'),
  'refund.processed': refundSample('refund.processed', 'processed'),
  'refund.failed': refundSample('refund.failed', 'failed'),
  'payment.dispute.created': disputeSample('payment.dispute.created', 'open', 0),
  'payment.dispute.under_review': disputeSample('payment.dispute.under_review', 'under_review', 0),
  'payment.dispute.action_required': disputeSample('payment.dispute.action_required', 'open', 0),
  'payment.dispute.won': disputeSample('payment.dispute.won', 'won', 0),
  'payment.dispute.lost': disputeSample('payment.dispute.lost', 'lost', 39_000),
  'payment.dispute.closed': disputeSample('payment.dispute.closed', 'closed', 0),
};

export const CARD_SAMPLE: Json = sampleEvent('payment.captured', MERCHANT, 1_691_735_748, { payment: CARD_PAYMENT });

/** In the documentation, the time of this one is inside the payload. */
export const SPEED_CHANGED_SAMPLE: Json = {
  entity: 'event',
  account_id: 'acc_BTIVttuC4ACVOz',
  event: 'refund.speed_changed',
  contains: ['refund', 'payment'],
  payload: { refund: { entity: { id: 'rfnd_EcPN8eJuzH5Yaz' } }, created_at: 1_586_439_890 },
};
