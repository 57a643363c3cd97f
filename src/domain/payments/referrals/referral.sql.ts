import type { Statement } from '../../../db/sql.js';

export type ReferralStatus = 'pending' | 'granted' | 'clawed_back' | 'cancelled';

/** What the invitee's side tells the referrer's, in this order. */
export const OUTBOX_SEQ = { joined: 0, granted: 1, cancelled: 1, clawed_back: 2 } as const;
export type OutboxKind = keyof typeof OUTBOX_SEQ;

export interface ReferralRow {
  referrer_id: string;
  status: ReferralStatus;
  topup_id: string | null;
  captured_at: string | null;
  payer_hashes: string[];
}

export const REFERRAL_OF: Statement = {
  name: 'referral-of',
  text: `
    select referrer_id, status, topup_id, captured_at, payer_hashes from referral
    where account_id = $1 and status in ('pending', 'granted')`,
};

/** The top-up that the referral hangs on. */
export const SET_FIRST_TOPUP: Statement = {
  name: 'referral-set-first-topup',
  text: `
    update referral set topup_id = $2, provider = $3, payment_id = $4, payer_hashes = $6,
      captured_at = case when topup_id = $2 then least(captured_at, $5) else $5 end
    where account_id = $1`,
};

export const SET_STATUS: Statement = {
  name: 'referral-set-status',
  text: `
    update referral set status = $3, reason = $4, decided_at = service_now()
    where account_id = $1 and status = $2
    returning true as changed`,
};

export const WRITE_OUTBOX: Statement = {
  name: 'referral-write-outbox',
  text: `
    insert into referral_outbox (account_id, seq, kind, created_at, deliver_after)
    values ($1, $2, $3, service_now(), service_now())`,
};

export const RECORD_PAYERS: Statement = {
  name: 'payer-record',
  text: `
    insert into payer (account_id, hash) select $1, hash from unnest($2::text[]) hash order by hash
    on conflict do nothing`,
};

export const HAS_PAID_WITH: Statement = {
  name: 'payer-has-paid-with',
  text: 'select exists (select from payer where account_id = $1 and hash = any ($2::text[])) as same',
};

/**
 * The oldest thing to tell, of each invitee in order. Of two deliverers, one takes the row: the other sees it locked,
 * or once it is free, delivered.
 */
export const NEXT_TO_DELIVER: Statement = {
  name: 'referral-next-to-deliver',
  text: `
    select o.account_id, o.seq, o.kind, r.referrer_id, r.masked_email, r.joined_at, r.payer_hashes,
      r.captured_at + $1 * interval '1 hour' as window_ends_at
    from referral_outbox o join referral r on r.account_id = o.account_id
    where o.deliver_after <= service_now() and not exists (
      select from referral_outbox earlier
      where earlier.account_id = o.account_id and earlier.seq < o.seq and earlier.deliver_after is not null)
    order by o.deliver_after limit 1
    for update of o skip locked`,
};

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

export const DELIVERED: Statement = {
  name: 'referral-delivered',
  text: `
    update referral_outbox set outcome = $3, deliver_after = null, delivered_at = service_now()
    where account_id = $1 and seq = $2`,
};

/** Minutes that double, up to an hour. */
export const DELIVER_LATER: Statement = {
  name: 'referral-deliver-later',
  text: `
    update referral_outbox set attempts = attempts + 1,
      deliver_after = service_now() + least(60, 2 ^ least(attempts, 6)) * interval '1 minute'
    where account_id = $1 and seq = $2 and deliver_after is not null`,
};

/** What the referrer's side has refused and the invitee's has not taken back yet. */
export const NEXT_REFUSED: Statement = {
  name: 'referral-next-refused',
  text: `
    select o.account_id from referral_outbox o join referral r on r.account_id = o.account_id
    where o.outcome = 'refused' and r.status = 'granted' limit 1`,
};

export const NOTE_INVITEE: Statement = {
  name: 'referral-note-invitee',
  text: `
    insert into referral_invitee (account_id, invitee_id, status, masked_email, joined_at)
    values ($1, $2, 'pending', $3, $4)
    on conflict do nothing`,
};

/** `$4`: true where the bonus is booked with it. */
export const SET_INVITEE_STATUS: Statement = {
  name: 'referral-set-invitee-status',
  text: `
    update referral_invitee set status = $3,
      granted_at = case when $4 then service_now() else granted_at end,
      window_ends_at = coalesce($5, window_ends_at)
    where account_id = $1 and invitee_id = $2`,
};

/** Whether this referrer already has a bonus for somebody who paid with one of the hashes. */
export const HAS_INVITEE_OF_PAYER: Statement = {
  name: 'referral-invitee-of-payer',
  text: `
    select exists (
      select from referral_invitee
      where account_id = $1 and invitee_id <> $2 and granted_at is not null and payer_hashes && $3::text[]
    ) as same`,
};

export const KEEP_INVITEE_PAYERS: Statement = {
  name: 'referral-keep-invitee-payers',
  text: 'update referral_invitee set payer_hashes = $3 where account_id = $1 and invitee_id = $2',
};

export const INVITEE_GRANTED: Statement = {
  name: 'referral-invitee-granted',
  text: `
    select granted_at is not null as granted from referral_invitee where account_id = $1 and invitee_id = $2`,
};

export const CODE_OF: Statement = {
  name: 'referral-code-of',
  text: 'select code from referral_code where account_id = $1',
};

export const CODE_IS_VALID: Statement = {
  name: 'referral-code-is-valid',
  text: 'select exists (select from referrer_of_code($1)) as valid',
};

export const TOTALS: Statement = {
  name: 'referral-totals',
  text: `
    select count(*) as invited, count(*) filter (where status = 'pending') as pending,
      count(*) filter (where status = 'granted') as granted,
      count(*) filter (where status = 'clawed_back') as clawed_back
    from referral_invitee where account_id = $1`,
};

export const INVITEES: Statement = {
  name: 'referral-invitees',
  text: `
    select invitee_id, status, masked_email, joined_at, window_ends_at
    from referral_invitee
    where account_id = $1 and (joined_at, invitee_id) < ($2::timestamptz, $3::uuid)
    order by joined_at desc, invitee_id desc
    limit $4`,
};
