import { Migration } from '@mikro-orm/migrations';

const STATUSES = ['awaiting_upload', 'uploading', 'uploaded', 'queued', 'processing', 'ready', 'failed'];

/** Videos with exact counts per status, their renditions, uploads, quotes and processing attempts. */
export class Migration0004Videos extends Migration {
  override up(): void {
    this.addSql(`create extension if not exists btree_gin`);
    this.addSql(`
      create table video (
        account_id uuid not null,
        id uuid not null,
        status text not null default 'awaiting_upload'
          check (status in (${STATUSES.map((status) => `'${status}'`).join(', ')})),
        title text not null,
        description text not null default '',
        tags text[] not null default '{}',
        metadata jsonb not null default '{}',
        quality text,
        branding boolean not null default false,
        encryption boolean not null default false,
        auto_process boolean not null default false,
        duration_ms bigint,
        width integer,
        height integer,
        size_bytes bigint,
        source_key text,
        source_probe jsonb,
        attempt integer not null default 0,
        playable_rungs text[] not null default '{}',
        published_prefix text,
        poster_path text,
        failure_code text,
        failure_message text,
        created_at timestamptz not null default clock_timestamp(),
        updated_at timestamptz not null default clock_timestamp(),
        ready_at timestamptz,
        deleted_at timestamptz,
        title_words tsvector generated always as (to_tsvector('simple', title)) stored,
        primary key (account_id, id)
      )`);
    // Every list is one index scan; these indexes leave out deleted rows.
    this.addSql(`create index video_newest on video (account_id, created_at, id) where deleted_at is null`);
    this.addSql(`
      create index video_status_newest on video (account_id, status, created_at, id) where deleted_at is null`);
    this.addSql(`
      create index video_title on video (account_id, (lower(title) collate "C"), id) where deleted_at is null`);
    this.addSql(`create index video_words on video using gin (account_id, title_words) where deleted_at is null`);
    this.addSql(`create index video_tags on video using gin (account_id, tags) where deleted_at is null`);

    this.addSql(`
      create table video_count (
        account_id uuid primary key,
        ${STATUSES.map((status) => `${status} bigint not null default 0 check (${status} >= 0)`).join(',\n        ')}
      ) with (fillfactor = 50)`);
    // One row per account, so that two transitions can never wait for each other in opposite order.
    this.addSql(`
      create function count_videos() returns trigger language plpgsql as $$
      begin
        with change as (
          select account_id, status, 1 as n from inserted where deleted_at is null
        ), per_account as (
          select account_id, ${STATUSES.map((s) => `coalesce(sum(n) filter (where status = '${s}'), 0) as ${s}`).join(', ')}
          from change group by account_id
        )
        insert into video_count as c (account_id, ${STATUSES.join(', ')})
        select account_id, ${STATUSES.join(', ')} from per_account order by account_id
        on conflict (account_id) do update set
          ${STATUSES.map((s) => `${s} = c.${s} + excluded.${s}`).join(', ')};
        return null;
      end $$`);
    this.addSql(`
      create function recount_video() returns trigger language plpgsql as $$
      begin
        update video_count c set
          ${STATUSES.map(
            (s) =>
              `${s} = c.${s} - (old.deleted_at is null and old.status = '${s}')::int
                + (new.deleted_at is null and new.status = '${s}')::int`,
          ).join(',\n          ')}
        where c.account_id = old.account_id;
        return null;
      end $$`);
    this.addSql(`
      create trigger video_counted after insert on video
        referencing new table as inserted for each statement execute function count_videos()`);
    this.addSql(`
      create trigger video_recounted after update of status, deleted_at on video for each row
        when (old.status is distinct from new.status or old.deleted_at is distinct from new.deleted_at)
        execute function recount_video()`);

    this.addSql(`
      create table rendition (
        account_id uuid not null,
        video_id uuid not null,
        quality text not null,
        width integer,
        height integer,
        bitrate integer not null,
        average_bitrate integer not null,
        codecs text not null,
        frame_rate double precision,
        size_bytes bigint not null,
        path text not null,
        primary key (account_id, video_id, quality)
      )`);
    this.addSql(`
      create table upload (
        account_id uuid not null,
        video_id uuid not null,
        id text not null unique,
        size_bytes bigint,
        created_at timestamptz not null default clock_timestamp(),
        expires_at timestamptz not null,
        finished_at timestamptz,
        primary key (account_id, video_id, id)
      )`);
    this.addSql(`create index upload_expiry on upload (expires_at) where finished_at is null`);
    this.addSql(`
      create table quote (
        account_id uuid not null,
        id uuid not null,
        video_id uuid not null,
        quality text not null,
        branding boolean not null,
        encryption boolean not null,
        duration_ms bigint not null,
        lines jsonb not null,
        total_micros bigint not null check (total_micros >= 0),
        created_at timestamptz not null,
        expires_at timestamptz not null,
        primary key (account_id, id)
      )`);
    this.addSql(`
      create table processing (
        account_id uuid not null,
        video_id uuid not null,
        attempt integer not null,
        quote_id uuid not null,
        quality text not null,
        price_micros bigint not null,
        state text not null default 'queued'
          check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
        run integer not null default 0,
        job_id uuid,
        step text,
        percent real not null default 0,
        speed real,
        eta_seconds integer,
        failure_code text,
        failure_message text,
        queued_at timestamptz not null,
        started_at timestamptz,
        updated_at timestamptz not null,
        finished_at timestamptz,
        primary key (account_id, video_id, attempt)
      ) with (fillfactor = 50)`);
    this.addSql(
      `create index processing_open on processing (account_id, updated_at) where state in ('queued', 'running')`,
    );
    // A unit of publishing and deleting: a source, one rendition, one poster. Nightly storage is charged from these
    // rows.
    this.addSql(`
      create table stored_object (
        account_id uuid not null,
        key text not null,
        video_id uuid,
        size_bytes bigint not null check (size_bytes >= 0),
        stored_at timestamptz not null,
        removed_at timestamptz,
        swept_at timestamptz,
        primary key (account_id, key)
      )`);
    this.addSql(`create index stored_object_video on stored_object (account_id, video_id)`);
    this.addSql(
      `create index stored_object_unswept on stored_object (removed_at) where removed_at is not null and swept_at is null`,
    );
  }
}
