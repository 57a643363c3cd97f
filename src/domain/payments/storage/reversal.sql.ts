import { type NoParams, statement } from '../../../db/sql.js';
import { LEDGER_ACCOUNTS } from '../../ledger/ledgerAccounts.js';
import { postMany } from '../../ledger/posting.js';
import { unconfirmNights } from '../../shared/clock/clock.sql.js';
import { noteRisenBalancesOf } from '../billing/lowBalance.sql.js';
import { keyOfDay, STANDS } from './night.sql.js';

export interface OpenReversal {
  readonly id: string;
  readonly from_day: string;
  readonly day: string;
  readonly after_account: string;
}

export interface PreviewRow {
  readonly nights: string;
  readonly first: string | null;
  readonly last: string;
  readonly micros: string;
  readonly is_charged: boolean;
}

const { DEBT } = LEDGER_ACCOUNTS;

/** What a reversal from `:from` on would return. An open night counts as far as it has come. */
export const PREVIEW = statement<{ from: string }, PreviewRow>(
  'storage-reversal-preview',
  `
    select count(*) as nights, min(day)::text as first, max(day)::text as last, coalesce(sum(charged_micros), 0) as micros,
      :from::date > (select min(day) from storage_night) as is_charged
    from storage_night where day >= :from::date and reversed_by is null`,
);

/** The reversal in progress. */
export const OPEN_REVERSAL = statement<NoParams, OpenReversal>(
  'storage-reversal-open',
  `
    select id, from_day::text as from_day, day::text as day, after_account from storage_reversal
    where finished_at is null for update`,
);

export const BEGIN = statement<{ id: string; from: string; reason: string }>(
  'storage-reversal-begin',
  `
    with begun as (
      insert into storage_reversal (id, from_day, reason, started_at, day)
      select :id, :from::date, :reason, service_now(), max(day) from storage_night where reversed_by is null
      returning id, from_day
    ), marked as (
      update storage_night n set reversed_by = begun.id, finished_at = coalesce(n.finished_at, service_now())
      from begun where n.day >= begun.from_day and n.reversed_by is null
    )
    ${unconfirmNights('begun')}`,
);

/**
 * Reverses the day `:day` for every owner after `:afterAccount`, up to and including `:through`, for the reversal
 * `:reversalId`.
 *
 * What comes back repays debt first, like all incoming credits. The rest returns to where the charge came from: to CLOUD,
 * and what CLOUD had drawn for that day returns to MASTER, where every bucket can draw it again. Nights are reversed from
 * newest to oldest, so a wallet that nothing else has changed is restored to the micro-credit.
 */
export const REVERSE_BATCH = statement<
  { day: string; afterAccount: string; through: string; reversalId: string },
  { charges: string; micros: string }
>(
  'storage-reversal-batch',
  `
    with charge as materialized (
      select d.account_id, d.day, d.round, d.charged_micros as charged, d.from_cloud_micros as from_cloud,
        d.from_cloud_micros - d.drawn_micros as own,
        ${keyOfDay('d.day')} as key, ${keyOfDay('d.day', 'storage:draw:')} as draw_key
      from storage_day d
      where d.day = :day::date and d.account_id > :afterAccount::uuid and d.account_id <= :through::uuid and ${STANDS}
    ), returned as materialized (
      select charge.*, to_debt, least(from_cloud, charged - to_debt) as to_cloud, clock.now
      from (select * from charge order by account_id) charge
        cross join (select service_now() as now offset 0) clock
        cross join lateral (
          select coalesce(-max(balance) filter (where account_no = ${DEBT}), 0) as owed
          from lock_wallet(charge.account_id)
        ) wallet, lateral (select least(owed, charged) as to_debt) d
    ), reversed as (
      insert into storage_reversed_day (account_id, day, round, reversal_id, to_debt_micros, to_cloud_micros,
        to_master_micros, created_at)
      select account_id, day, round, :reversalId, to_debt, to_cloud, charged - to_debt - to_cloud, now from returned
    ), posted as materialized (
      ${postMany('returned where charged > 0', {
        type: 'STORAGE',
        ownerId: 'account_id',
        idempotencyKey: "key || ':reversed'",
        deltas: {
          MASTER: 'charged - to_debt - to_cloud',
          CLOUD: 'to_cloud',
          DEBT: 'to_debt',
          REVENUE_STORAGE: '-charged',
        },
        reference: 'day',
        intent: 'charged',
        metadata: `jsonb_build_object('reversal', :reversalId::uuid::text)`,
        now: 'now',
      })}
    ), undrawn as materialized (
      ${postMany('returned cross join (select count(*) from posted) returned_first where to_cloud > own', {
        type: 'ALLOCATION',
        ownerId: 'account_id',
        idempotencyKey: "draw_key || ':reversed'",
        deltas: { MASTER: 'to_cloud - own', CLOUD: 'own - to_cloud' },
        reference: 'day',
        intent: 'to_cloud - own',
        metadata: `jsonb_build_object('reversal', :reversalId::uuid::text)`,
        now: 'now',
      })}
    ), noted as materialized (
      ${noteRisenBalancesOf(
        'returned cross join (select count(*) from posted) p cross join (select count(*) from undrawn) u where charged > 0',
        'account_id',
      )}
    )
    select count(*) filter (where charged > 0) as charges, coalesce(sum(charged), 0) as micros,
      (select postings from posted) as postings, (select postings from undrawn) as undrawn,
      (select count(*) from noted) as noted
    from returned`,
);

/** Advances to the next batch after `:through`, or to the night before. */
export const ADVANCE = statement<
  { id: string; charges: string; micros: string; isLast: boolean; through: string },
  { finished: boolean; charges: string; micros: string }
>(
  'storage-reversal-advance',
  `
    update storage_reversal set charges = charges + :charges::bigint, returned_micros = returned_micros + :micros::numeric,
      day = case when :isLast::boolean then day - 1 else day end,
      after_account = case when :isLast::boolean then '00000000-0000-0000-0000-000000000000' else :through::uuid end,
      finished_at = case when :isLast::boolean and day = from_day then service_now() end
    where id = :id
    returning finished_at is not null as finished, charges, returned_micros as micros`,
);
