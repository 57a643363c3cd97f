import { Migration } from '@mikro-orm/migrations';

/**
 * What a verification covered, so that the next night continues from it: everything, or new rows and one slice of
 * seven. Facts are found by when they arrived or changed. Rows of one time are stored together, so BRIN indexes cost
 * next to nothing.
 */
export class Migration0040NightlyScope extends Migration {
  override up(): void {
    this.addSql(`
      alter table ledger_audit
        add column scope text not null default 'all',
        add column last_block bigint not null default 0,
        add column faulty_owners uuid[] not null default '{}'`);
    this.addSql(`create index storage_day_created on storage_day using brin (created_at)`);
    this.addSql(`create index escrow_created on escrow using brin (created_at)`);
    this.addSql(`create index escrow_resolved on escrow using brin (resolved_at)`);
  }
}
