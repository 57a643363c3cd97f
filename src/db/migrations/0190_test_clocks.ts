import { Migration } from '@mikro-orm/migrations';

/**
 * A view keeps by how much its test clock was moved when its token was created, so that an explanation knows when its stream
 * ends.
 *
 * A test clock can be moved without end. Facts are never changed by the service, so this function sums up those that nothing
 * tells apart any more: moves between which no video and no waiting webhook began, and nights of storage one after the
 * other. The last of them stands for all. A move of the last minute stays: a video that is being created may be older.
 */
export class Migration0190TestClocks extends Migration {
  override up(): void {
    this.addSql(`alter table playback_view add column test_clock_seconds double precision`);
    this.addSql(`alter table test_fault add column folded_seconds double precision`);
    this.addSql(`
      create function fold_test_facts(p_account uuid) returns void language plpgsql volatile
        security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        if (select count(*) from public.test_fault f
          where f.account_id = p_account and f.fault in ('CLOCK_MOVED', 'STORAGE_CHARGED')) < 1000
        then
          return;
        end if;

        with move as (
          select f.subject_id, f.created_at, f.seconds + coalesce(f.folded_seconds, 0) as seconds,
            lag(f.created_at) over (order by f.created_at, f.subject_id) as before_at
          from public.test_fault f where f.account_id = p_account and f.fault = 'CLOCK_MOVED'
            and f.created_at < public.service_now() - interval '1 minute'
        ), told_apart as (
          select m.*, exists (select from public.video v
              where v.account_id = p_account and v.deleted_at is null
                and v.created_at >= m.before_at and v.created_at < m.created_at)
            or exists (select from public.webhook_delivery d
              where d.account_id = p_account and d.state = 'pending'
                and d.created_at >= m.before_at and d.created_at < m.created_at) as begins
          from move m
        ), run as (
          select m.subject_id, m.created_at, m.seconds,
            count(*) filter (where m.begins) over (order by m.created_at, m.subject_id) as no
          from told_apart m
        ), whole as (
          select r.no, sum(r.seconds) as seconds,
            (array_agg(r.subject_id order by r.created_at desc, r.subject_id desc))[1] as last_id
          from run r group by r.no having count(*) > 1
        ), kept as (
          update public.test_fault f set folded_seconds = w.seconds - f.seconds from whole w
          where f.account_id = p_account and f.subject_id = w.last_id
        )
        delete from public.test_fault f using run r join whole w on w.no = r.no
        where f.account_id = p_account and f.subject_id = r.subject_id and r.subject_id <> w.last_id;

        with fact as (
          select f.subject_id, f.created_at, f.fault, f.amount_micros,
            count(*) filter (where f.fault <> 'STORAGE_CHARGED') over (order by f.created_at, f.subject_id) as no
          from public.test_fault f
          where f.account_id = p_account and f.created_at is not null
            and f.fault in ('PAYMENT_MADE', 'PAYMENT_DISPUTED', 'DISPUTE_WON', 'DISPUTE_LOST', 'STORAGE_CHARGED')
        ), night as (
          select n.* from fact n where n.fault = 'STORAGE_CHARGED'
        ), whole as (
          select n.no, sum(n.amount_micros) as amount_micros,
            (array_agg(n.subject_id order by n.created_at desc, n.subject_id desc))[1] as last_id
          from night n group by n.no having count(*) > 1
        ), kept as (
          update public.test_fault f set amount_micros = w.amount_micros from whole w
          where f.account_id = p_account and f.subject_id = w.last_id
        )
        delete from public.test_fault f using night n join whole w on w.no = n.no
        where f.account_id = p_account and f.subject_id = n.subject_id and n.subject_id <> w.last_id;
      end $$`);
  }
}
