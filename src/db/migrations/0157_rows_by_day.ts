import { Migration } from '@mikro-orm/migrations';

const LEDGER_PARTITIONS = 16;

/** Finds the rows of one day, of all accounts, without reading those of other days. */
const BY_DAY = [
  ['account_by_birth', 'account (created_at)'],
  ['account_closing_erased', 'account_closing (erased_at) where erased_at is not null'],
  ['upload_finished', 'upload (finished_at) where finished_at is not null'],
  ['processing_finished', 'processing (finished_at) where finished_at is not null'],
  ['api_key_day_by_day', 'api_key_day (day)'],
  ['storage_day_by_day', 'storage_day (day)'],
  ['playback_month_state_by_month', 'playback_month_state (starts_at, account_id)'],
  // Entries are written in the order of their time, so a few bytes per megabyte are enough, and postings stay as fast.
  ...Array.from({ length: LEDGER_PARTITIONS }, (_, n): [string, string] => [
    `ledger_entry_p${n}_by_time`,
    `ledger_entry_p${n} using brin (created_at) with (autosummarize = on)`,
  ]),
] as const;

export class Migration0157RowsByDay extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, on] of BY_DAY) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${on}`);
    }
  }
}
