import { Migration } from '@mikro-orm/migrations';

const STATUSES = ['awaiting_upload', 'uploading', 'uploaded', 'queued', 'processing', 'ready', 'failed'];

/** The baseline, 3 of 7: videos, their tracks and uploads, and branding. */
export class Migration0061BaselineVideos extends Migration {
  override up(): void {
    this.addVideos();
    this.addCounts();
    this.addTracks();
    this.addUploads();
    this.addBranding();
  }

  private addVideos(): void {
    this.addSql(`create extension if not exists btree_gin`);
    // Paths lie below the published prefix, and below the public address. `pictures_prefix` is the run of the poster
    // and the storyboard; each rendition has its own. `texts_taken_at`: the source's embedded texts are imported only
    // once, so that processing the video again does not undo the owner's edits. `measure_runs` shows whether measuring
    // is hopeless; the time does not, because it may include an outage. `poster_key` is null if processing chose the
    // poster.
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
        pictures_prefix text,
        poster_path text,
        failure_code text,
        failure_message text,
        created_at timestamptz not null default clock_timestamp(),
        updated_at timestamptz not null default clock_timestamp(),
        ready_at timestamptz,
        deleted_at timestamptz,
        title_words tsvector generated always as (to_tsvector('simple', title)) stored,
        measure_runs integer not null default 0,
        measuring_since timestamptz,
        storyboard_path text,
        preview_path text,
        chapters jsonb not null default '[]',
        texts_taken_at timestamptz,
        normalize_loudness boolean not null default false,
        poster_key text,
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
    // Staff search for accounts by a video, and list the failed videos of all accounts.
    this.addSql(`create index video_id on video using hash (id)`);
    this.addSql(`
      create index video_failed on video (updated_at desc, id desc) where status = 'failed' and deleted_at is null`);
    // Read by the sweep; nearly always empty. The second one: measured, to be bought automatically, and neither bought
    // nor refused yet.
    this.addSql(`
      create index video_unmeasured on video (account_id, id)
        where status = 'uploaded' and duration_ms is null and deleted_at is null`);
    this.addSql(`
      create index video_unbought on video (account_id, id)
        where status = 'uploaded' and auto_process and attempt = 0 and duration_ms is not null
          and failure_code is null and deleted_at is null`);
    this.addSql(`
      create index video_forgettable on video (deleted_at, id) where deleted_at is not null and attempt = 0`);
  }

  /** Exact counts per status. One row per account, so that two transitions cannot wait for each other in opposite order. */
  private addCounts(): void {
    this.addSql(`
      create table video_count (
        account_id uuid primary key,
        ${STATUSES.map((status) => `${status} bigint not null default 0 check (${status} >= 0)`).join(',\n        ')}
      ) with (fillfactor = 50)`);
    this.addSql(`
      create function count_videos() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
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
      create function recount_video() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
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
  }

  private addTracks(): void {
    // A ladder is published in stages, by one or several runs: `prefix` is the run of this rendition. Only sound has a
    // track, a language and a label. `receipt` says how it was made; null before receipts existed. The bitrates of
    // keyframes are null if keyframes are not listed: for sound, for encrypted renditions, and for older ones.
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
        prefix text not null,
        track smallint not null default 1 check (track > 0),
        language text,
        label text,
        is_description boolean not null default false,
        receipt jsonb,
        key_frame_bitrate integer,
        key_frame_average_bitrate integer,
        primary key (account_id, video_id, quality, track)
      )`);
    // Captions are small and change after publishing, so they are stored here and not in the object store.
    this.addSql(`
      create table caption (
        account_id uuid not null,
        video_id uuid not null,
        id uuid not null,
        language text not null,
        label text not null,
        origin text not null check (origin in ('source', 'upload')),
        vtt text not null check (octet_length(vtt) <= 2000000),
        size_bytes integer not null,
        created_at timestamptz not null,
        is_forced boolean not null default false,
        is_sdh boolean not null default false,
        primary key (account_id, video_id, id)
      )`);
    // A label is unique within a video: playlists, menus and people tell tracks apart by it.
    this.addSql(`create unique index caption_label on caption (account_id, video_id, label)`);
    // Keys of encrypted videos, each encrypted under the master key that it names. Each run of an attempt has its own
    // keys, so nobody can read what a lost run wrote.
    this.addSql(`
      create table media_key (
        account_id uuid not null,
        video_id uuid not null,
        attempt integer not null,
        run integer not null,
        key_index integer not null check (key_index >= 0),
        master_key_id text not null,
        sealed bytea not null,
        created_at timestamptz not null,
        primary key (account_id, video_id, attempt, run, key_index)
      )`);
  }

  /**
   * Only one connection at a time writes to an upload, whichever process it reached: it holds the lease. For uploads
   * that go straight into a bucket, `multipart_id` names the multipart upload, and `part_bytes` the length of each part
   * but the last, so that any process that resumes the upload cuts it at the same places.
   */
  private addUploads(): void {
    this.addSql(`
      create table upload (
        account_id uuid not null,
        video_id uuid not null,
        id text not null unique,
        size_bytes bigint,
        created_at timestamptz not null default clock_timestamp(),
        expires_at timestamptz not null,
        finished_at timestamptz,
        lease_token uuid,
        leased_until timestamptz,
        release_wanted boolean not null default false,
        multipart_id text,
        part_bytes bigint check (part_bytes > 0),
        primary key (account_id, video_id, id),
        constraint upload_multipart_whole check ((multipart_id is null) = (part_bytes is null))
      )`);
    this.addSql(`create index upload_expiry on upload (expires_at) where finished_at is null`);
    // Opening an upload adds up the bytes that an account holds without having bought processing.
    this.addSql('create index upload_open on upload (account_id) include (size_bytes) where finished_at is null');
  }

  /**
   * Logos and their placement. A version never changes, so that everything bought with it looks as it did then.
   * Versions that nothing can use any more are deleted. Logos are small and change with their account, not with a
   * video, so they are stored here and not in the object store.
   */
  private addBranding(): void {
    // Keyed by content: moving a logo does not store it again.
    this.addSql(`
      create table brand_logo (
        account_id uuid not null,
        sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
        png bytea not null check (octet_length(png) <= 1500000),
        width integer not null check (width between 1 and 1024),
        height integer not null check (height between 1 and 1024),
        created_at timestamptz not null,
        primary key (account_id, sha256)
      )`);
    // PNG is already compressed.
    this.addSql(`alter table brand_logo alter column png set storage external`);
    this.addSql(`
      create table brand_version (
        account_id uuid not null,
        version integer not null check (version > 0),
        logo_sha256 text not null,
        position text not null
          check (position in ('top_left', 'top_right', 'bottom_left', 'bottom_right', 'center')),
        width_percent integer not null check (width_percent between 2 and 50),
        margin_percent integer not null check (margin_percent between 0 and 20),
        opacity_percent integer not null check (opacity_percent between 5 and 100),
        created_at timestamptz not null,
        primary key (account_id, version),
        foreign key (account_id, logo_sha256) references brand_logo
      )`);
    this.addSql(`create index brand_version_logo on brand_version (account_id, logo_sha256)`);
    // This row is the lock of an account's branding. The last number outlives its version, so that no number is used
    // twice.
    this.addSql(`
      create table brand (
        account_id uuid primary key,
        current_version integer,
        last_version integer not null,
        foreign key (account_id, current_version) references brand_version
      )`);
  }
}
