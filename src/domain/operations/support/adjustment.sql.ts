import type { Statement } from '../../../db/sql.js';

const COLUMNS = `a.account_id, a.id, a.amount_micros, a.reason, a.idempotency_key,
  case when a.status = 'pending' and a.expires_at <= service_now() then 'expired' else a.status end as status,
  a.requested_by, a.requested_at, a.expires_at, a.decided_by, a.decided_at, a.decision_reason`;

const WITH_PEOPLE = `${COLUMNS}, r.email as requested_by_email, d.email as decided_by_email
  from adjustment a left join auth."user" r on r.id = a.requested_by left join auth."user" d on d.id = a.decided_by`;

export const BY_KEY: Statement = {
  name: 'adjustment-by-key',
  text: `select ${COLUMNS} from adjustment a where a.account_id = $1 and a.idempotency_key = $2`,
};

export const INSERT_POSTED: Statement = {
  name: 'adjustment-insert-posted',
  text: `
    insert into adjustment
      (account_id, id, amount_micros, reason, idempotency_key, status, requested_by, requested_at, tx_id)
    values ($1, $2, $3, $4, $5, 'posted', $6, service_now(), $7)`,
};

export const INSERT_PENDING: Statement = {
  name: 'adjustment-insert-pending',
  text: `
    with now as (select service_now() as at)
    insert into adjustment
      (account_id, id, amount_micros, reason, idempotency_key, status, requested_by, requested_at, expires_at)
    select $1, $2, $3, $4, $5, 'pending', $6, now.at, now.at + interval '7 days' from now`,
};

export const LOCK: Statement = {
  name: 'adjustment-lock',
  text: `
    select ${COLUMNS} from adjustment a
    where a.account_id = $1 and a.id = $2 and a.status <> 'posted' for update`,
};

export const DECIDE: Statement = {
  name: 'adjustment-decide',
  text: `
    update adjustment set status = $3, decided_by = $4, decided_at = service_now(), decision_reason = $5, tx_id = $6
    where account_id = $1 and id = $2`,
};

export const FIND: Statement = {
  name: 'adjustment-find',
  text: `select ${WITH_PEOPLE} where a.account_id = $1 and a.id = $2`,
};

/** Newest first, of all accounts: for staff. `$3` is a status, or null for all. */
export const LIST: Statement = {
  name: 'adjustment-list',
  text: `
    select * from (
      select ${WITH_PEOPLE}
      where a.status <> 'posted' and (a.requested_at, a.id) < ($1::timestamptz, $2::uuid)
    ) request
    where $3::text is null or status = $3
    order by requested_at desc, id desc limit $4`,
};
