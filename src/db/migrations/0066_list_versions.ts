import { Migration } from '@mikro-orm/migrations';

const STATUSES = ['awaiting_upload', 'uploading', 'uploaded', 'queued', 'processing', 'ready', 'failed'];

/**
 * Any change in an account's lists changes its version in the same transaction. Versions are random and never repeat,
 * so that a cached page cannot be mistaken for another one, even if a failover has lost changes.
 *
 * Any change of a video counts, shown or not: a list of the visible columns would be forgotten with the next new one.
 */
export class Migration0066ListVersions extends Migration {
  override up(): void {
    this.addSql(`alter table video_count add column version uuid not null default gen_random_uuid()`);
    this.addSql(`
      create or replace function count_videos() returns trigger language plpgsql
      set search_path = pg_catalog, public, pg_temp as $$
      begin
        with change as (
          select account_id, status, 1 as n from inserted where deleted_at is null
        ), per_account as (
          select account_id, ${STATUSES.map((s) => `coalesce(sum(n) filter (where status = '${s}'), 0) as ${s}`).join(', ')}
          from change group by account_id
        )
        insert into public.video_count as c (account_id, ${STATUSES.join(', ')})
        select account_id, ${STATUSES.join(', ')} from per_account order by account_id
        on conflict (account_id) do update set version = excluded.version,
          ${STATUSES.map((s) => `${s} = c.${s} + excluded.${s}`).join(', ')};
        return null;
      end $$`);
    this.addSql(`
      create or replace function recount_video() returns trigger language plpgsql
      set search_path = pg_catalog, public, pg_temp as $$
      begin
        update public.video_count c set version = gen_random_uuid(),
          ${STATUSES.map(
            (s) =>
              `${s} = c.${s} - (old.deleted_at is null and old.status = '${s}')::int
                + (new.deleted_at is null and new.status = '${s}')::int`,
          ).join(',\n          ')}
        where c.account_id = old.account_id;
        return null;
      end $$`);
    this.addSql(`drop trigger video_recounted on video`);
    this.addSql(`
      create trigger video_recounted after update on video for each row when (old.* is distinct from new.*)
        execute function recount_video()`);
  }
}
