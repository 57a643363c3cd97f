import { Migration } from '@mikro-orm/migrations';

/** The last reading of the database's clock, so that a wrong reading is noticed before a day is charged by it. */
export class Migration0041ServiceClock extends Migration {
  override up(): void {
    this.addSql(`
      create table service_clock (
        only_row boolean primary key default true check (only_row),
        seen_at timestamptz not null,
        held_since timestamptz,
        held_why text,
        nights_confirmed_through date,
        check ((held_since is null) = (held_why is null))
      )`);
    this.addSql(`insert into service_clock (seen_at) values (service_now())`);
    // When each running machine booted, by the database's clock. While a machine runs, only a clock leap can change
    // that.
    this.addSql(`
      create table clock_machine (
        run_id text primary key,
        booted_at timestamptz not null,
        anchored_at timestamptz not null
      )`);
  }
}
