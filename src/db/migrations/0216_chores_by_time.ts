import { Migration } from '@mikro-orm/migrations';

/** What chores look for, by its time, so that they read nothing else. */
const BY_TIME = [
  ['video_test_by_age', 'video (created_at, id) where is_test and deleted_at is null'],
  ['video_test_forgettable', 'video (deleted_at, id) where is_test and deleted_at is not null and purge_after is null'],
  // Purchases name a version of the branding. It is no longer needed once they are gone.
  [
    'video_bought_gone',
    'video (deleted_at, id) where deleted_at is not null and purge_after is null and attempt > 0 and not is_test',
  ],
  ['test_fault_moves', `test_fault (created_at) where fault = 'CLOCK_MOVED'`],
] as const;

/** Marks the test videos that are there, and makes the indexes. */
export class Migration0216ChoresByTime extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      do $$
      declare
        marked integer;
      begin
        loop
          update video set is_test = true where (account_id, id) in (
            select v.account_id, v.id from test_account t join video v on v.account_id = t.account_id
            where not v.is_test limit 1000);
          get diagnostics marked = row_count;
          commit;
          exit when marked = 0;
        end loop;
      end $$`);
    for (const [name, on] of BY_TIME) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${on}`);
    }
  }
}
