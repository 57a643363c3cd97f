import { type NoParams, statement } from '../../../db/sql.js';
import { NOW_ONCE } from '../../shared/clock/now.js';

/**
 * - `booked`: the referrer's wallet changed.
 * - `noted`: only the referrer's list of invitees changed.
 * - `refused`: the referrer, or another invitee of theirs, has paid with the same means as the invitee. The invitee's
 *   own bonus must still be clawed back.
 * - `vanished`: the referrer no longer has a wallet, so nothing was posted.
 */
export type Outcome = 'booked' | 'noted' | 'refused' | 'vanished';

export interface InviteeRow {
  invitee_id: string;
  status: ReferralStatus;
  masked_email: string;
  joined_at: string;
  window_ends_at: string | null;
}

export type Totals = Record<'invited' | 'pending' | 'granted' | 'clawed_back', string>;

export type ReferralStatus = 'pending' | 'granted' | 'clawed_back' | 'cancelled';

/** The messages from the invitee's side to the referrer's, in order. */
export const OUTBOX_SEQ = { joined: 0, granted: 1, cancelled: 1, clawed_back: 2 } as const;
export type OutboxKind = keyof typeof OUTBOX_SEQ;

export interface ReferralRow {
  referrer_id: string;
  status: ReferralStatus;
  topup_id: string | null;
  captured_at: string | null;
  payer_hashes: string[];
}

export const REFERRAL_OF = statement<{ accountId: string }, ReferralRow>(
  'referral-of',
  `
    select referrer_id, status, topup_id, captured_at, payer_hashes from referral
    where account_id = :accountId and status in ('pending', 'granted')`,
);

/** Sets the top-up that decides the referral. */
export const SET_FIRST_TOPUP = statement<{
  accountId: string;
  topUpId: string;
  provider: string;
  paymentId: string;
  capturedAt: Date;
  hashes: readonly string[];
}>(
  'referral-set-first-topup',
  `
    update referral set topup_id = :topUpId, provider = :provider, payment_id = :paymentId, payer_hashes = :hashes,
      captured_at = case when topup_id = :topUpId then least(captured_at, :capturedAt) else :capturedAt end
    where account_id = :accountId`,
);

export const SET_STATUS = statement<{ accountId: string; from: ReferralStatus; to: string; reason: string | null }>(
  'referral-set-status',
  `
    update referral set status = :to, reason = :reason, decided_at = service_now()
    where account_id = :accountId and status = :from
    returning true as changed`,
);

export const WRITE_OUTBOX = statement<{ accountId: string; seq: number; to: string }>(
  'referral-write-outbox',
  `
    insert into referral_outbox (account_id, seq, kind, created_at, deliver_after)
    values (:accountId, :seq, :to, service_now(), service_now())`,
);

export const RECORD_PAYERS = statement<{ accountId: string; payerHashes: readonly string[] }>(
  'payer-record',
  `
    insert into payer (account_id, hash) select :accountId, hash from unnest(:payerHashes::text[]) hash order by hash
    on conflict do nothing`,
);

export const HAS_PAID_WITH = statement<{ accountId: string; hashes: readonly string[] }, { same: boolean }>(
  'payer-has-paid-with',
  'select exists (select from payer where account_id = :accountId and hash = any (:hashes::text[])) as same',
);

/**
 * The oldest undelivered message, in order for each invitee. Of two concurrent deliverers, one gets the row; the other
 * skips it while it is locked, and later finds it delivered.
 */
export const NEXT_TO_DELIVER = statement<{ windowHours: number }, OutboxRow>(
  'referral-next-to-deliver',
  `
    select o.account_id, o.seq, o.kind, r.referrer_id, r.masked_email, r.joined_at, r.payer_hashes,
      r.captured_at + :windowHours * interval '1 hour' as window_ends_at
    from referral_outbox o join referral r on r.account_id = o.account_id
    where o.deliver_after <= ${NOW_ONCE} and not exists (
      select from referral_outbox earlier
      where earlier.account_id = o.account_id and earlier.seq < o.seq and earlier.deliver_after is not null)
    order by o.deliver_after limit 1
    for update of o skip locked`,
);

export interface OutboxRow {
  account_id: string;
  seq: number;
  kind: OutboxKind;
  referrer_id: string;
  masked_email: string;
  joined_at: string;
  payer_hashes: string[];
  window_ends_at: string | null;
}

export const DELIVERED = statement<{ accountId: string; seq: number; outcome: Outcome }>(
  'referral-delivered',
  `
    update referral_outbox set outcome = :outcome, deliver_after = null, delivered_at = service_now()
    where account_id = :accountId and seq = :seq`,
);

/** Retries after 1, 2, 4 … minutes, at most an hour. */
export const DELIVER_LATER = statement<{ accountId: string; seq: number }>(
  'referral-deliver-later',
  `
    update referral_outbox set attempts = attempts + 1,
      deliver_after = service_now() + least(60, 2 ^ least(attempts, 6)) * interval '1 minute'
    where account_id = :accountId and seq = :seq and deliver_after is not null`,
);

/** A bonus that the referrer's side refused and the invitee's side has not clawed back yet. */
export const NEXT_REFUSED = statement<NoParams, { account_id: string }>(
  'referral-next-refused',
  `
    select o.account_id from referral_outbox o join referral r on r.account_id = o.account_id
    where o.outcome = 'refused' and r.status = 'granted' limit 1`,
);

export const NOTE_INVITEE = statement<{ referrerId: string; accountId: string; maskedEmail: string; joinedAt: string }>(
  'referral-note-invitee',
  `
    insert into referral_invitee (account_id, invitee_id, status, masked_email, joined_at)
    values (:referrerId, :accountId, 'pending', :maskedEmail, :joinedAt)
    on conflict do nothing`,
);

/** `:isGranted`: whether the bonus is posted in the same transaction. */
export const SET_INVITEE_STATUS = statement<{
  referrerId: string;
  accountId: string;
  status: ReferralStatus;
  isGranted: boolean;
  windowEndsAt: string | null;
}>(
  'referral-set-invitee-status',
  `
    update referral_invitee set status = :status,
      granted_at = case when :isGranted then service_now() else granted_at end,
      window_ends_at = coalesce(:windowEndsAt, window_ends_at)
    where account_id = :referrerId and invitee_id = :accountId`,
);

/** Whether this referrer already has a bonus for someone who paid with one of the hashes. */
export const HAS_INVITEE_OF_PAYER = statement<
  { referrerId: string; accountId: string; payerHashes: readonly string[] },
  { same: boolean }
>(
  'referral-invitee-of-payer',
  `
    select exists (
      select from referral_invitee
      where account_id = :referrerId and invitee_id <> :accountId and granted_at is not null and payer_hashes && :payerHashes::text[]
    ) as same`,
);

export const KEEP_INVITEE_PAYERS = statement<{ referrerId: string; accountId: string; payerHashes: readonly string[] }>(
  'referral-keep-invitee-payers',
  'update referral_invitee set payer_hashes = :payerHashes where account_id = :referrerId and invitee_id = :accountId',
);

export const INVITEE_GRANTED = statement<{ referrerId: string; accountId: string }, { granted: boolean }>(
  'referral-invitee-granted',
  `
    select granted_at is not null as granted from referral_invitee where account_id = :referrerId and invitee_id = :accountId`,
);

export const CODE_OF = statement<{ accountId: string }, { code: string }>(
  'referral-code-of',
  'select code from referral_code where account_id = :accountId',
);

export const CODE_IS_VALID = statement<{ code: string }, { valid: boolean }>(
  'referral-code-is-valid',
  'select exists (select from referrer_of_code(:code)) as valid',
);

export const TOTALS = statement<{ accountId: string }, Totals>(
  'referral-totals',
  `
    select count(*) as invited, count(*) filter (where status = 'pending') as pending,
      count(*) filter (where status = 'granted') as granted,
      count(*) filter (where status = 'clawed_back') as clawed_back
    from referral_invitee where account_id = :accountId`,
);

export const INVITEES = statement<{ accountId: string; afterTime: string; afterId: string; first: number }, InviteeRow>(
  'referral-invitees',
  `
    select invitee_id, status, masked_email, joined_at, window_ends_at
    from referral_invitee
    where account_id = :accountId and (joined_at, invitee_id) < (:afterTime::timestamptz, :afterId::uuid)
    order by joined_at desc, invitee_id desc
    limit :first`,
);
