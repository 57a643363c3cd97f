import { type NoParams, statement } from '../../../db/sql.js';

export interface AlertRow {
  id: string;
  kind: string;
  subject: string;
  message: string;
  account_id: string | null;
  times: number;
  raised_at: string;
  last_raised_at: string;
  resolved_at: string | null;
}

const COLUMNS = 'id, kind, subject, message, account_id, times, raised_at, last_raised_at, resolved_at';
const MAX_ANNOUNCED_AT_ONCE = 50;

export const RAISE = statement<{
  id: string;
  kind: string;
  subject: string;
  message: string;
  accountId: string | null;
}>(
  'alert-raise',
  `
    insert into alert (id, kind, subject, message, account_id, raised_at, last_raised_at)
    values (:id, :kind, :subject, :message, :accountId, service_now(), service_now())
    on conflict (kind, subject) where resolved_at is null
    do update set times = alert.times + 1, last_raised_at = excluded.last_raised_at, message = excluded.message`,
);

/** The most new alerts of one kind per run. One summary alert counts the rest, which later runs raise. */
export const MAX_NEW_AT_ONCE = 100;

/** Counts up the alerts that are already open, and inserts the first `MAX_NEW_AT_ONCE` of the others. */
export const RAISE_MANY = statement<
  { kind: string; ids: readonly string[]; subjects: readonly string[]; messages: readonly string[] },
  { fresh: number }
>(
  'alert-raise-many',
  `
    with raised as (
      select * from unnest(:ids::uuid[], :subjects::text[], :messages::text[]) with ordinality r(id, subject, message, nth)
    ), open as (
      update alert a set times = a.times + 1, last_raised_at = service_now(), message = r.message
      from raised r where a.kind = :kind and a.subject = r.subject and a.resolved_at is null
      returning a.subject
    ), fresh as (
      select * from raised r where not exists (select from open o where o.subject = r.subject)
    ), told as (
      insert into alert (id, kind, subject, message, raised_at, last_raised_at)
      select id, :kind, subject, message, service_now(), service_now() from fresh order by nth limit ${MAX_NEW_AT_ONCE}
      on conflict (kind, subject) where resolved_at is null do nothing
    )
    select (select count(*) from fresh)::integer as fresh`,
);

export const UNANNOUNCED = statement<NoParams, AlertRow>(
  'alerts-unannounced',
  `
    select ${COLUMNS} from alert where announced_at is null order by raised_at limit ${MAX_ANNOUNCED_AT_ONCE}`,
);

export const ANNOUNCED = statement<{ ids: readonly string[] }>(
  'alerts-announced',
  'update alert set announced_at = service_now() where id = any (:ids::uuid[])',
);

export const LIST = statement<{ resolved: boolean; after: string | null; first: number }, AlertRow>(
  'alerts-list',
  `
    select ${COLUMNS} from alert
    where (:resolved or resolved_at is null)
      and (:after::uuid is null or (raised_at, id) < (select raised_at, id from alert where id = :after))
    order by raised_at desc, id desc limit :first`,
);

export const COUNT_OPEN = statement<NoParams, { kind: string; count: number }>(
  'alerts-count-open',
  'select kind, count(*)::integer as count from alert where resolved_at is null group by kind',
);

export const RESOLVE = statement<{ alertId: string; actorId: string }, AlertRow>(
  'alert-resolve',
  `
    update alert set resolved_at = service_now(), resolved_by = :actorId where id = :alertId and resolved_at is null
    returning ${COLUMNS}`,
);

/** Part of a statement: closes open alerts whose cause is gone. Those that were not announced stay unsent. */
export const closeAlerts = (
  which: string,
): string => `update alert set resolved_at = service_now(), announced_at = coalesce(announced_at, service_now())
    where ${which} and resolved_at is null`;
