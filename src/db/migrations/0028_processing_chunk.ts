import { Migration } from '@mikro-orm/migrations';

/**
 * The chunks of a long video that several workers encode at once. Each claim of a chunk has a higher fence than the
 * last. `facts` are what its worker measured; `kept_fence` is the claim whose segments play, once that is known.
 */
export class Migration0028ProcessingChunk extends Migration {
  override up(): void {
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
        rungs jsonb not null,
        state text not null default 'waiting' check (state in ('waiting', 'claimed', 'done', 'refused', 'over')),
        fence integer not null default 0,
        percent real not null default 0,
        reported_at timestamptz,
        facts jsonb,
        kept_fence integer,
        sweeps smallint not null default 0,
        sweep_after timestamptz,
        primary key (account_id, video_id, attempt, run, chunk)
      )`);
    this.addSql(`create index processing_chunk_due on processing_chunk (sweep_after) where sweep_after is not null`);
  }
}
