import { Migration } from '@mikro-orm/migrations';

/**
 * What the whole platform did on each UTC day, for the support console. A worker sums a day up once it is over, so that a
 * question about a year reads 365 rows and nothing of the history behind them.
 */
export class Migration0156PlatformDays extends Migration {
  override up(): void {
    this.addSql(`
      create table platform_day (
        day date primary key,
        accounts bigint not null,
        sign_ups bigint not null,
        topped_up_micros bigint not null,
        spent_micros bigint not null,
        refunded_micros bigint not null,
        videos_uploaded bigint not null,
        videos_ready bigint not null,
        videos_failed bigint not null,
        encoded_ms bigint not null,
        tokens bigint not null,
        views bigint not null,
        stored_bytes bigint,
        is_final boolean not null,
        measured_at timestamptz not null
      )`);
  }
}
