import type { Statement } from '../../db/sql.js';
import { LEDGER_ACCOUNTS } from '../wallet/ledgerAccounts.js';
import { UNITS_PER_BYTE_MONTH, UNITS_PER_MICRO, WARN_BELOW_DAYS } from './storageRate.js';

const { MASTER, CLOUD, DEBT, REVENUE_STORAGE } = LEDGER_ACCOUNTS;

/** Owners passed over per batch. Their wallets are locked until it commits, so that more would be felt by them. */
export const OWNERS_PER_BATCH = 1000;

/** The night that is open, or the one after the last that is finished, and whether its time has come. */
export const NEXT_NIGHT: Statement = {
  name: 'storage-next-night',
  text: `
    select day::text as day, service_now() >= (day + 1)::timestamp at time zone 'UTC' + interval '15 minutes' as due
    from (
      select coalesce(min(day) filter (where finished_at is null), max(day) + 1) as day from storage_night
    ) next`,
};

/** The first row is the day before charging began. */
export const FIND_NIGHT: Statement = {
  name: 'storage-find-night',
  text: `
    select day::text as day, accounts, charged_micros, arrears_micros from storage_night
    where day = $1 and finished_at is not null and day > (select min(day) from storage_night)`,
};

export const OPEN_NIGHT: Statement = {
  name: 'storage-open-night',
  text: 'insert into storage_night (day, started_at) values ($1, service_now()) on conflict do nothing',
};

/** Whoever holds it has the next batch to themselves: several runners take turns, and none does another's work. */
export const LOCK_NIGHT: Statement = {
  name: 'storage-lock-night',
  text: 'select after_account from storage_night where day = $1 and finished_at is null for update',
};

/** The last owner of the batch after `$1`; none where it is the last batch. */
export const LAST_OF_BATCH: Statement = {
  name: 'storage-last-of-batch',
  text: `select id from account where id > $1 order by id offset ${OWNERS_PER_BATCH - 1} limit 1`,
};

export const ADVANCE_NIGHT: Statement = {
  name: 'storage-advance-night',
  text: `
    update storage_night set after_account = $2, accounts = accounts + $3, charged_micros = charged_micros + $4,
      arrears_micros = arrears_micros + $5, finished_at = case when $6::boolean then service_now() end
    where day = $1`,
};

/**
 * Charges the day `$1` to every owner after `$2`, up to and including `$3`, in one round trip.
 *
 * The split between CLOUD, MASTER and DEBT follows from balances that are locked first, in the order in which a posting
 * locks: what a lock waited for is read anew, whatever the statement saw when it began. New balances are reckoned from
 * those, too: the update itself first sees a row as it was at the statement's beginning, and its CHECK would refuse what
 * the credits that came meanwhile can pay. A remainder comes from the owner's last charged day, since a day without a
 * byte adds nothing to it.
 *
 * A day that is charged already has a row and a posting with the same key: either would refuse a second one.
 * Joins of intermediate results are avoided: nobody can estimate those, and a wrong guess costs the square of the batch.
 *
 * The hash is the one that `post` would write for the same posting, so that the books hold one kind of row.
 */
export const CHARGE_BATCH: Statement = {
  name: 'storage-charge-batch',
  text: `
    with night as materialized (
      select $1::date::text as day,
        extract(day from date_trunc('month', $1::date) + interval '1 month - 1 day')::integer as month_days,
        service_now() as now
    ), stored as (
      select account_id, size_bytes from stored_object
      where removed_at is null and stored_at < ($1::date + 1)::timestamp at time zone 'UTC'
        and account_id > $2::uuid and account_id <= $3::uuid
      union all
      select account_id, size_bytes from stored_object
      where removed_at >= ($1::date + 1)::timestamp at time zone 'UTC'
        and stored_at < ($1::date + 1)::timestamp at time zone 'UTC'
        and account_id > $2::uuid and account_id <= $3::uuid
    ), used as materialized (
      select s.account_id, s.bytes, s.bytes * (${UNITS_PER_BYTE_MONTH} / night.month_days) as units,
        coalesce(last.remainder, 0) as carried, coalesce(rule.auto_allocate, false) as auto_allocate
      from (select account_id, sum(size_bytes) as bytes from stored group by account_id) s
        cross join night
        left join storage_rule rule using (account_id)
        left join lateral (
          select remainder from storage_day d where d.account_id = s.account_id and d.day < $1::date
          order by d.day desc limit 1
        ) last on true
      where s.bytes > 0
        and not exists (select from storage_day d where d.account_id = s.account_id and d.day = $1::date)
    ), due as materialized (
      select account_id, bytes, units, auto_allocate, charged, carried + units - charged * ${UNITS_PER_MICRO} as remainder,
        night.day, night.now, ${uuidV7('night.now')} as tx_id
      from used cross join night, lateral (select div(carried + units, ${UNITS_PER_MICRO}) as charged) c
    ), locked as materialized (
      select due.*, a.account_no, a.balance, a.version
      from due join ledger_account a on a.owner_id = due.account_id
      where a.account_no in (${CLOUD}, ${DEBT}, ${REVENUE_STORAGE}) or a.account_no = ${MASTER} and due.auto_allocate
      order by a.owner_id, a.account_no for no key update of a
    ), leg as materialized (
      select w.*, from_cloud, from_master, charged - from_cloud - from_master as arrears,
        cloud - from_cloud + master - from_master as left_over,
        case account_no when ${CLOUD} then -from_cloud when ${MASTER} then -from_master
          when ${DEBT} then from_cloud + from_master - charged else charged end as delta
      from (
        select locked.*, max(balance) filter (where account_no = ${CLOUD}) over owner as cloud,
          coalesce(max(balance) filter (where account_no = ${MASTER}) over owner, 0) as master
        from locked window owner as (partition by account_id)
      ) w, lateral (select least(cloud, charged) as from_cloud) c,
        lateral (select least(master, charged - from_cloud) as from_master) m
    ), charged_day as (
      insert into storage_day (account_id, day, bytes, charged_micros, remainder, from_cloud_micros,
        from_master_micros, arrears_micros, created_at)
      select account_id, day::date, bytes, charged, remainder, from_cloud, from_master, arrears, now
      from leg where account_no = ${REVENUE_STORAGE}
    ), tx as (
      insert into ledger_tx (owner_id, type, idempotency_key, tx_id, request_hash, reference, metadata, created_at)
      select account_id, 'STORAGE', 'storage:' || day, tx_id,
        sha256(convert_to('["STORAGE","' || day || '","' || charged || '"]', 'UTF8')),
        day, jsonb_build_object('bytes', bytes::text), now
      from leg where account_no = ${REVENUE_STORAGE} and charged > 0
    ), account as (
      update ledger_account a set balance = leg.balance + leg.delta, version = leg.version + 1
      from leg
      where leg.delta <> 0 and a.owner_id = leg.account_id and a.account_no = leg.account_no
      returning a.owner_id, a.account_no, a.version, leg.tx_id, leg.delta, a.balance, leg.now
    ), entry as (
      insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
      select * from account
    ), short as (
      select account_id, bytes::text as bytes, arrears::text as arrears,
        div(left_over * ${UNITS_PER_MICRO}, units)::text as days_left
      from leg where account_no = ${REVENUE_STORAGE}
        and (arrears > 0 or left_over * ${UNITS_PER_MICRO} < ${WARN_BELOW_DAYS} * units)
    )
    select count(*) as accounts, coalesce(sum(charged), 0) as charged_micros, coalesce(sum(arrears), 0) as arrears_micros,
      coalesce((select json_agg(short) from short), '[]') as short
    from leg where account_no = ${REVENUE_STORAGE}`,
};

/** As `newId` makes them, for rows that no round trip brings: a random UUID with the time in its first 48 bits. */
function uuidV7(time: string): string {
  const millis = `substring(int8send((extract(epoch from ${time}) * 1000)::bigint) from 3)`;
  return `encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid()) placing ${millis} from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`;
}
