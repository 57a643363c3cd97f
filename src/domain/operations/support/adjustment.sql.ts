import type { AdjustmentRow } from './adjustment.js';
import { statement } from '../../../db/sql.js';
import type { AfterTime } from './timeCursor.js';

const COLUMNS = `a.account_id, a.id, a.amount_micros, a.reason, a.idempotency_key,
  case when a.status = 'pending' and a.expires_at <= service_now() then 'expired' else a.status end as status,
  a.requested_by, a.requested_at, a.expires_at, a.decided_by, a.decided_at, a.decision_reason`;

const WITH_PEOPLE = `${COLUMNS}, r.email as requested_by_email, d.email as decided_by_email
  from adjustment a left join auth."user" r on r.id = a.requested_by left join auth."user" d on d.id = a.decided_by`;

export const BY_KEY = statement<{ accountId: string; idempotencyKey: string }, AdjustmentRow>(
  'adjustment-by-key',
  `select ${COLUMNS} from adjustment a where a.account_id = :accountId and a.idempotency_key = :idempotencyKey`,
);

interface NewAdjustment {
  readonly accountId: string;
  readonly id: string;
  readonly amountMicros: string;
  readonly reason: string;
  readonly idempotencyKey: string;
  readonly actorId: string;
}

export const INSERT_POSTED = statement<NewAdjustment & { txId: string }>(
  'adjustment-insert-posted',
  `
    insert into adjustment
      (account_id, id, amount_micros, reason, idempotency_key, status, requested_by, requested_at, tx_id)
    values (:accountId, :id, :amountMicros, :reason, :idempotencyKey, 'posted', :actorId, service_now(), :txId)`,
);

export const INSERT_PENDING = statement<NewAdjustment>(
  'adjustment-insert-pending',
  `
    with now as (select service_now() as at)
    insert into adjustment
      (account_id, id, amount_micros, reason, idempotency_key, status, requested_by, requested_at, expires_at)
    select :accountId, :id, :amountMicros, :reason, :idempotencyKey, 'pending', :actorId, now.at, now.at + interval '7 days' from now`,
);

export const LOCK = statement<{ accountId: string; adjustmentId: string }, AdjustmentRow>(
  'adjustment-lock',
  `
    select ${COLUMNS} from adjustment a
    where a.account_id = :accountId and a.id = :adjustmentId and a.status <> 'posted' for update`,
);

export const DECIDE = statement<{
  accountId: string;
  id: string;
  status: string;
  actorId: string;
  reason: string;
  txId: string | null;
}>(
  'adjustment-decide',
  `
    update adjustment set status = :status, decided_by = :actorId, decided_at = service_now(), decision_reason = :reason, tx_id = :txId
    where account_id = :accountId and id = :id`,
);

export const FIND = statement<{ accountId: string; id: string }, AdjustmentRow>(
  'adjustment-find',
  `select ${WITH_PEOPLE} where a.account_id = :accountId and a.id = :id`,
);

/** For staff: all accounts, newest first. A null status selects all. */
export const LIST = statement<AfterTime & { status: string | null; first: number }, AdjustmentRow>(
  'adjustment-list',
  `
    select * from (
      select ${WITH_PEOPLE}
      where a.status <> 'posted' and (a.requested_at, a.id) < (:afterTime::timestamptz, :afterId::uuid)
    ) request
    where :status::text is null or status = :status
    order by requested_at desc, id desc limit :first`,
);
