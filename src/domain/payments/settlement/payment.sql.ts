import type { DisputeState, RequestStatus } from './evaluate.js';
import type { ProviderName, RefundState } from '../../../ports/paymentProvider.js';
import { statement } from '../../../db/sql.js';
import { TOPUP_UNPAID } from '../topUps/topUp.sql.js';

export type PaymentOutcome = 'none' | 'credited' | 'suspense';

export interface PaymentRow {
  account_id: string;
  provider: string;
  payment_id: string;
  topup_id: string | null;
  order_id: string | null;
  amount_minor: string | null;
  currency: string | null;
  captured_at: string | null;
  /** Why it belongs in suspense, whatever other facts say. */
  contradiction: string | null;
  /** The latest time at which the provider reported a failure. */
  failed_at: string | null;
  refunded_at: string | null;
  payer_hashes: string[];
  fate: PaymentOutcome;
  micros_per_minor: string | null;
  /** What was moved from the wallet to SUSPENSE; `null` for a payment that was never credited, or still is. */
  withdrawn_micros: string | null;
  credited_micros: string;
  taken: Record<string, string>;
  held: Record<string, string>;
  disputed_micros: string;
  revision: number;
  created_at: string;
}

/** Why a captured payment is not credited. */
export type Mismatch =
  | 'unknown order'
  | 'other order'
  | 'other account'
  | 'play money'
  | 'other amount'
  | 'other currency'
  | 'second payment';

export interface PaymentKey {
  readonly accountId: string;
  readonly provider: string;
  readonly paymentId: string;
}

export interface RequestRow {
  payment_id: string;
  id: string;
  held_micros: string;
  status: RequestStatus;
  refund_id: string | null;
}

export interface DisputeRow {
  payment_id: string;
  dispute_id: string;
  amount_minor: string;
  currency: string;
  state: DisputeState;
  provider_created_at: string;
  lost_minor: string | null;
  open_micros: string;
  lost_micros: string;
}

export interface RefundRow {
  payment_id: string;
  refund_id: string;
  amount_minor: string;
  currency: string;
  state: RefundState;
  provider_created_at: string;
  was_processed: boolean;
  request_id: string | null;
  counted_micros: string;
  from_hold_micros: string;
  bookings: number;
}

/** Serializes everything about one payment, whether it is known or not. Take it before all other locks. */
export const TAKE_TURN = statement<{ provider: ProviderName; paymentId: string }>(
  'payment-take-turn',
  `select pg_advisory_xact_lock(hashtextextended(:provider || ':' || :paymentId, 71))`,
);

/** Facts only accumulate: the earliest capture, the latest failure, every payer. Locks the row. */
export const NOTE_PAYMENT = statement<PaymentKey & { topUpId: string | null; orderId: string | null }, PaymentRow>(
  'payment-note',
  `
    insert into payment as p (account_id, provider, payment_id, topup_id, order_id, created_at)
    values (:accountId, :provider, :paymentId, :topUpId, :orderId, service_now())
    on conflict (account_id, provider, payment_id) do update
    set order_id = coalesce(p.order_id, excluded.order_id)
    returning *`,
);

export const NOTE_CAPTURE = statement<
  PaymentKey & { amountMinor: string; currency: string; capturedAt: Date; hashes: readonly string[] },
  PaymentRow
>(
  'payment-note-capture',
  `
    update payment set
      amount_minor = coalesce(amount_minor, :amountMinor), currency = coalesce(currency, :currency),
      captured_at = least(captured_at, :capturedAt::timestamptz),
      payer_hashes = (select coalesce(array_agg(distinct h order by h), '{}') from unnest(payer_hashes || :hashes::text[]) h)
    where account_id = :accountId and provider = :provider and payment_id = :paymentId
    returning *`,
);

/**
 * Failed is final, otherwise processed is, in any order of facts. Of two amounts the greater one counts. Returns no row
 * if the refund is known as another payment's; it stays there.
 */
export const NOTE_FAILURE = statement<PaymentKey & { failedAt: Date }, PaymentRow>(
  'payment-note-failure',
  `
    update payment set failed_at = greatest(failed_at, :failedAt::timestamptz)
    where account_id = :accountId and provider = :provider and payment_id = :paymentId
    returning *`,
);

export const NOTE_CONTRADICTION = statement<{
  accountId: string;
  provider: string;
  paymentId: string;
  contradiction: Mismatch;
}>(
  'payment-note-contradiction',
  `
    update payment set contradiction = :contradiction
    where account_id = :accountId and provider = :provider and payment_id = :paymentId and contradiction is null`,
);

/** If two currencies contradict, neither is trusted: stores ISO 4217's code for no currency, and nothing is counted. */
const CURRENCY = (row: string) => `case when ${row}.currency = excluded.currency then ${row}.currency else 'XXX' end`;

/** Adds what contradicts earlier facts to the known conflicts. */
function conflicts(row: string, checks: Readonly<Record<string, string>>): string {
  const found = Object.entries(checks).map(([word, differs]) => `case when ${differs} then '${word}' end`);
  return `array(select distinct word from unnest(${row}.conflicts || array[${found.join(', ')}]) word
        where word is not null order by word)`;
}

export const NOTE_REFUND = statement<
  {
    accountId: string;
    provider: string;
    refundId: string;
    paymentId: string;
    amountMinor: string;
    currency: string;
    state: RefundState;
    createdAt: Date;
    wasProcessed: boolean;
    requestKey: string | null;
  },
  { conflicts: string[] }
>(
  'payment-note-refund',
  `
    insert into payment_refund as r
      (account_id, provider, refund_id, payment_id, amount_minor, currency, state, provider_created_at, was_processed,
        request_id, created_at)
    values (:accountId, :provider, :refundId, :paymentId, :amountMinor, :currency, :state, :createdAt, :wasProcessed,
      (select id from refund_request q
        where q.account_id = :accountId and q.provider = :provider and q.payment_id = :paymentId and (q.refund_id = :refundId or q.id::text = :requestKey) order by q.id limit 1),
      service_now())
    on conflict (account_id, provider, refund_id) do update set
      state = case
        when 'failed' in (r.state, excluded.state) then 'failed'
        when 'processed' in (r.state, excluded.state) then 'processed'
        else 'pending' end,
      amount_minor = greatest(r.amount_minor, excluded.amount_minor),
      currency = ${CURRENCY('r')},
      provider_created_at = least(r.provider_created_at, excluded.provider_created_at),
      was_processed = r.was_processed or excluded.was_processed,
      request_id = coalesce(r.request_id, excluded.request_id),
      conflicts = ${conflicts('r', {
        amount: 'r.amount_minor <> excluded.amount_minor',
        currency: 'r.currency <> excluded.currency',
        time: 'r.provider_created_at <> excluded.provider_created_at',
      })}
    where r.payment_id = excluded.payment_id
    returning conflicts`,
);

/** The provider's response may be stored after its webhook was posted. */
export const TIE_REFUND = statement<{ accountId: string; provider: ProviderName; refundId: string; requestId: string }>(
  'payment-tie-refund',
  `
    update payment_refund set request_id = :requestId
    where account_id = :accountId and provider = :provider and refund_id = :refundId and request_id is null`,
);

/**
 * Lost is final, otherwise won is. A dispute that is both, or was also returned, is a contradiction and not a reason to
 * give anything back. Of two amounts the greater one counts; the lost amount may be a part of the disputed one. Returns
 * no row if the dispute is known as another payment's; it stays there.
 */
export const NOTE_DISPUTE = statement<
  {
    accountId: string;
    provider: string;
    disputeId: string;
    paymentId: string;
    amountMinor: string;
    currency: string;
    state: string;
    createdAt: Date;
    lostMinor: string | null;
    isReturned: boolean;
  },
  { conflicts: string[] }
>(
  'payment-note-dispute',
  `
    insert into payment_dispute as d
      (account_id, provider, dispute_id, payment_id, amount_minor, currency, state, provider_created_at, lost_minor,
        was_returned, conflicts, created_at)
    values (:accountId, :provider, :disputeId, :paymentId, :amountMinor, :currency, :state, :createdAt, :lostMinor, :isReturned, case when :state = 'lost' and :isReturned then '{outcome}' else '{}' end::text[],
      service_now())
    on conflict (account_id, provider, dispute_id) do update set
      state = case
        when 'lost' in (d.state, excluded.state) then 'lost'
        when 'won' in (d.state, excluded.state) then 'won'
        else 'open' end,
      amount_minor = greatest(d.amount_minor, excluded.amount_minor),
      lost_minor = greatest(d.lost_minor, excluded.lost_minor),
      currency = ${CURRENCY('d')},
      was_returned = d.was_returned or excluded.was_returned,
      provider_created_at = least(d.provider_created_at, excluded.provider_created_at),
      conflicts = ${conflicts('d', {
        amount: 'd.amount_minor <> excluded.amount_minor or d.lost_minor <> excluded.lost_minor',
        currency: 'd.currency <> excluded.currency',
        outcome: `'lost' in (d.state, excluded.state) and (d.was_returned or excluded.was_returned)`,
        time: 'd.provider_created_at <> excluded.provider_created_at',
      })}
    where d.payment_id = excluded.payment_id
    returning conflicts`,
);

export const REFUNDS = statement<{ accountId: string; provider: string; paymentIds: readonly string[] }, RefundRow>(
  'payment-refunds',
  `
    select payment_id, refund_id, amount_minor, currency, state, provider_created_at, was_processed, request_id,
      counted_micros, from_hold_micros, bookings
    from payment_refund where account_id = :accountId and provider = :provider and payment_id = any (:paymentIds::text[])`,
);

export const DISPUTES = statement<{ accountId: string; provider: string; paymentIds: readonly string[] }, DisputeRow>(
  'payment-disputes',
  `
    select payment_id, dispute_id, amount_minor, currency, state, provider_created_at, lost_minor, open_micros, lost_micros
    from payment_dispute where account_id = :accountId and provider = :provider and payment_id = any (:paymentIds::text[])`,
);

export const REQUESTS = statement<{ accountId: string; provider: string; paymentIds: readonly string[] }, RequestRow>(
  'payment-refund-requests',
  `
    select payment_id, id, held_micros, status, refund_id
    from refund_request where account_id = :accountId and provider = :provider and payment_id = any (:paymentIds::text[])`,
);

export const DECIDE_OUTCOME = statement<
  PaymentKey & { fate: 'credited' | 'suspense'; creditedMicros: string; microsPerMinor: string | null }
>(
  'payment-decide-outcome',
  `
    update payment set fate = :fate, credited_micros = :creditedMicros, micros_per_minor = :microsPerMinor
    where account_id = :accountId and provider = :provider and payment_id = :paymentId`,
);

/** Moves a credit whose facts contradict it to suspense; its top-up counts as unpaid. */
export const WITHDRAW = statement<
  { accountId: string; provider: string; paymentId: string; withdrawnMicros: string },
  PaymentRow
>(
  'payment-withdraw',
  `
    with unpaid as (
      ${TOPUP_UNPAID}
    )
    update payment set fate = 'suspense', withdrawn_micros = :withdrawnMicros, taken = '{}', held = '{}', revision = revision + 1
    where account_id = :accountId and provider = :provider and payment_id = :paymentId
    returning *`,
);

export const SAVE_PAYMENT = statement<
  PaymentKey & { taken: string; held: string; disputedMicros: string; refundedAt: Date | string | null }
>(
  'payment-save',
  `
    update payment set taken = :taken, held = :held, disputed_micros = :disputedMicros, refunded_at = :refundedAt, revision = revision + 1
    where account_id = :accountId and provider = :provider and payment_id = :paymentId`,
);

export const SAVE_REFUND = statement<{
  accountId: string;
  provider: string;
  refundId: string;
  countedMicros: string;
  fromHoldMicros: string;
  bookings: number;
}>(
  'payment-save-refund',
  `
    update payment_refund set counted_micros = :countedMicros, from_hold_micros = :fromHoldMicros, bookings = :bookings
    where account_id = :accountId and provider = :provider and refund_id = :refundId`,
);

export const SAVE_DISPUTE = statement<{
  accountId: string;
  provider: string;
  disputeId: string;
  openMicros: string;
  lostMicros: string;
}>(
  'payment-save-dispute',
  `
    update payment_dispute set open_micros = :openMicros, lost_micros = :lostMicros
    where account_id = :accountId and provider = :provider and dispute_id = :disputeId`,
);

/** Returns those that have not become an event yet: the log forgets its facts before a long dispute ends. */
export const TELL_DISPUTES = statement<
  { accountId: string; provider: string; disputeIds: readonly string[] },
  { dispute_id: string }
>(
  'payment-tell-disputes',
  `
    update payment_dispute set is_told = true
    where account_id = :accountId and provider = :provider and dispute_id = any (:disputeIds) and not is_told
    returning dispute_id`,
);
