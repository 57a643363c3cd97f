import { Migration } from '@mikro-orm/migrations';

/**
 * The time of an owner's next posting. Call it under the lock on the owner's MASTER, which every posting takes: then
 * the times of an owner's postings follow the order of their commits, and nothing is posted earlier than what was
 * already read.
 *
 * A clock that is set back by minutes, by a correction or a switch to another machine, does not reverse that order. A
 * clock that is set back further was wrong before, and is followed, so that a wrong time does not stay forever.
 */
export class Migration0044PostingTime extends Migration {
  override up(): void {
    // Volatile, so that it sees what was committed while the caller's statement waited for the lock.
    this.addSql(`
      create function posting_time(owner uuid) returns timestamptz
        language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
      declare
        newest timestamptz;
        now timestamptz;
      begin
        select e.created_at into newest from public.ledger_entry e
          where e.owner_id = owner order by e.created_at desc limit 1;
        now := public.service_now();
        if newest > now + interval '5 minutes' then
          return now;
        end if;
        return greatest(now, newest + interval '1 microsecond');
      end $$`);
  }
}
