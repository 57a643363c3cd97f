import { Migration } from '@mikro-orm/migrations';

/** The baseline, 4 of 7: quotes, processing attempts with their output, and stored objects. */
export class Migration0062BaselineProcessing extends Migration {
  override up(): void {
    this.addQuotes();
    this.addAttempts();
    this.addOutput();
    this.addObjects();
    this.addForgetting();
  }

  private addQuotes(): void {
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
        normalize_loudness boolean not null default false,
        primary key (account_id, id)
      )`);
    // A new quote removes the outdated quotes of its video.
    this.addSql('create index quote_video on quote (account_id, video_id, expires_at)');
  }

  private addAttempts(): void {
    // `faults` counts runs that were lost, or that failed because of the service; `faulted_at` is when one last
    // counted, since an outage breaks many runs in a row. `boundaries` are the segment boundaries of an attempt with a
    // passthrough rendition, in whole milliseconds: all other renditions are cut there. Null for constant intervals.
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
        faults integer not null default 0,
        brand_version integer,
        boundaries jsonb,
        faulted_at timestamptz,
        primary key (account_id, video_id, attempt)
      ) with (fillfactor = 50)`);
    // Progress changes updated_at several times a second; an indexed column would cost an index entry each time.
    this.addSql(`
      create index processing_open on processing (account_id, video_id, attempt) where state in ('queued', 'running')`);
    // A quote can be bought once.
    this.addSql(`create unique index processing_quote on processing (account_id, quote_id)`);
    this.addSql(`
      create index processing_brand_version on processing (account_id, brand_version) where brand_version is not null`);
  }

  private addOutput(): void {
    // Where each run of an attempt writes, recorded before it writes anything. So the sweep finds what a run left in
    // the store, whatever happens to the worker.
    this.addSql(`
      create table processing_output (
        account_id uuid not null,
        video_id uuid not null,
        attempt integer not null,
        run integer not null,
        prefix text not null,
        created_at timestamptz not null,
        doomed_at timestamptz,
        sweeps smallint not null default 0,
        sweep_after timestamptz,
        primary key (account_id, video_id, attempt, run)
      )`);
    this.addSql(`create index processing_output_due on processing_output (sweep_after) where sweep_after is not null`);
    // The chunks of a long video that several workers encode at once. Each claim of a chunk has a higher fence than the
    // last. `facts` are what its worker measured; `kept_fence` is the claim whose segments play, once that is known.
    // `has_boundaries`: whether its segments begin at the boundaries of a passthrough rendition. A run adopts chunks of
    // an earlier run only if it would have made the same.
    this.addSql(`
      create table processing_chunk (
        account_id uuid not null,
        video_id uuid not null,
        attempt integer not null,
        run integer not null,
        chunk integer not null,
        first_segment integer not null,
        end_segment integer not null check (end_segment > first_segment),
        is_last boolean not null,
        renditions jsonb not null,
        state text not null default 'waiting' check (state in ('waiting', 'claimed', 'done', 'refused', 'over')),
        fence integer not null default 0,
        percent real not null default 0,
        reported_at timestamptz,
        facts jsonb,
        kept_fence integer,
        sweeps smallint not null default 0,
        sweep_after timestamptz,
        has_boundaries boolean not null default false,
        primary key (account_id, video_id, attempt, run, chunk)
      )`);
    this.addSql(`create index processing_chunk_due on processing_chunk (sweep_after) where sweep_after is not null`);
  }

  /**
   * A unit of publishing and deleting: a source, one rendition, one poster. Nightly storage is charged from these rows.
   * Correcting a size closes one row and opens the next generation of its key, so that the rows that past days were
   * charged from stay unchanged.
   */
  private addObjects(): void {
    this.addSql(`
      create table stored_object (
        account_id uuid not null,
        key text not null,
        video_id uuid,
        size_bytes bigint not null check (size_bytes >= 0),
        stored_at timestamptz not null,
        removed_at timestamptz,
        swept_at timestamptz,
        generation integer not null default 0,
        primary key (account_id, key, generation)
      )`);
    this.addSql(`create index stored_object_video on stored_object (account_id, video_id)`);
    this.addSql(`
      create index stored_object_unswept on stored_object (removed_at) where removed_at is not null and swept_at is null`);
    this.addSql(`
      create index stored_object_unswept_of_account on stored_object (account_id)
        where removed_at is not null and swept_at is null`);
    // Objects that count at the end of a day: existing ones, and the few removed since. Sorted bytewise, as stores list
    // keys.
    this.addSql(`
      create index stored_object_live on stored_object (account_id, key collate "C") include (size_bytes, stored_at)
        where removed_at is null`);
    this.addSql(`
      create index stored_object_removed on stored_object (removed_at, account_id) where removed_at is not null`);
  }

  /**
   * The books need nothing of a deleted video that was never bought, unless its file was stored over a midnight: then
   * storage was charged for it. The others are forgotten after 30 days.
   *
   * The runtime role cannot delete rows that storage is charged from, so the function runs as its owner and checks for
   * itself.
   */
  private addForgetting(): void {
    this.addSql(`
      create function public.forget_video(p_account uuid, p_video uuid) returns boolean language plpgsql volatile
        security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform from public.video v
          where v.account_id = p_account and v.id = p_video and v.attempt = 0
            and v.deleted_at < public.service_now() - interval '30 days'
            and not exists (select from public.upload u
              where u.account_id = v.account_id and u.video_id = v.id and u.finished_at is null)
            and not exists (select from public.stored_object o
              where o.account_id = v.account_id and o.video_id = v.id and (o.swept_at is null or o.removed_at is null
                or (o.stored_at at time zone 'UTC')::date <> (o.removed_at at time zone 'UTC')::date))
          for update;
        if not found then
          return false;
        end if;
        delete from public.stored_object where account_id = p_account and video_id = p_video;
        delete from public.upload where account_id = p_account and video_id = p_video;
        delete from public.quote where account_id = p_account and video_id = p_video;
        delete from public.video where account_id = p_account and id = p_video;
        return true;
      end $$`);
  }
}
