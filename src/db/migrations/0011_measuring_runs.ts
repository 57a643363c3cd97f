import { Migration } from '@mikro-orm/migrations';

/**
 * How often measuring an upload was begun, and when first. The number of tries shows whether it is hopeless; the time
 * does not, because it may include an outage. Null or zero until a worker has begun.
 */
export class Migration0011MeasuringRuns extends Migration {
  override up(): void {
    this.addSql(`
      alter table video
        add column measure_runs integer not null default 0,
        add column measuring_since timestamptz`);
    // Measured, to be bought automatically, and neither bought nor refused yet: nearly always empty.
    this.addSql(`
      create index video_unbought on video (account_id, id)
        where status = 'uploaded' and auto_process and attempt = 0 and duration_ms is not null
          and failure_code is null and deleted_at is null`);
  }
}
