import type { StaffRequestRow } from './staffRequest.js';
import { statement } from '../../../db/sql.js';
import type { AfterTime } from './timeCursor.js';

const REQUESTS = `
  select r.account_id, r.id, r.kind, r.api_key_id, k.name as api_key_name, r.daily_quota, r.topup_id, r.amount_minor,
    t.currency, r.reason,
    case when r.status = 'pending' and r.expires_at <= service_now() then 'expired' else r.status end as status,
    r.requested_by, a.email as requested_by_email, r.requested_at, r.expires_at, d.email as decided_by_email,
    r.decided_at, r.decision_reason
  from staff_request r
    left join api_key k on k.account_id = r.account_id and k.id = r.api_key_id
    left join topup t on t.account_id = r.account_id and t.id = r.topup_id
    left join auth."user" a on a.id = r.requested_by
    left join auth."user" d on d.id = r.decided_by`;

interface NewStaffRequest {
  readonly accountId: string;
  readonly id: string;
  readonly kind: string;
  readonly apiKeyId: string | null;
  readonly dailyQuota: number | null;
  readonly topUpId: string | null;
  readonly amountMinor: string | null;
  readonly reason: string;
  readonly idempotencyKey: string;
  readonly actorId: string;
}

/** Returns no row if the key is taken. */
export const INSERT = statement<NewStaffRequest, { id: string }>(
  'staff-request-insert',
  `
    with now as (select service_now() as at)
    insert into staff_request
      (account_id, id, kind, api_key_id, daily_quota, topup_id, amount_minor, reason, idempotency_key, status,
        requested_by, requested_at, expires_at)
    select :accountId, :id, :kind, :apiKeyId, :dailyQuota, :topUpId, :amountMinor, :reason, :idempotencyKey, 'pending', :actorId, now.at, now.at + interval '7 days' from now
    on conflict (account_id, idempotency_key) do nothing
    returning id`,
);

export const BY_KEY = statement<{ accountId: string; idempotencyKey: string }, StaffRequestRow>(
  'staff-request-by-key',
  `${REQUESTS} where r.account_id = :accountId and r.idempotency_key = :idempotencyKey`,
);

export const FIND = statement<{ accountId: string; id: string }, StaffRequestRow>(
  'staff-request-find',
  `${REQUESTS} where r.account_id = :accountId and r.id = :id`,
);

export const LOCK = statement<{ accountId: string; requestId: string }, StaffRequestRow>(
  'staff-request-lock',
  `${REQUESTS} where r.account_id = :accountId and r.id = :requestId for update of r`,
);

export const DECIDE = statement<{
  accountId: string;
  requestId: string;
  status: string;
  actorId: string;
  reason: string;
}>(
  'staff-request-decide',
  `
    update staff_request set status = :status, decided_by = :actorId, decided_at = service_now(), decision_reason = :reason
    where account_id = :accountId and id = :requestId`,
);

/** For staff: all accounts, newest first. A null status selects all. */
export const LIST = statement<AfterTime & { status: string | null; first: number }, StaffRequestRow>(
  'staff-request-list',
  `
    select * from (${REQUESTS} where (r.requested_at, r.id) < (:afterTime::timestamptz, :afterId::uuid)) request
    where :status::text is null or status = :status
    order by requested_at desc, id desc limit :first`,
);
