import { Migration } from '@mikro-orm/migrations';

/**
 * Where each run of a processing attempt writes, recorded before it writes anything. So the sweep finds what a run left
 * in the store, whatever happens to the worker. `faults` counts runs that were lost, or that failed because of the
 * service.
 */
export class Migration0007ProcessingOutput extends Migration {
  override up(): void {
    this.addSql(`alter table processing add column faults integer not null default 0`);
    // A quote can be bought once.
    this.addSql(`create unique index processing_quote on processing (account_id, quote_id)`);
    // Progress changes updated_at several times a second; an indexed column would cost an index entry each time.
    this.addSql(`drop index processing_open`);
    this.addSql(`
      create index processing_open on processing (account_id, video_id, attempt) where state in ('queued', 'running')`);
    // Read by the sweep; nearly always empty.
    this.addSql(`
      create index video_unmeasured on video (account_id, id)
        where status = 'uploaded' and duration_ms is null and deleted_at is null`);
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
  }
}
