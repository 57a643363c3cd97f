import { Migration } from '@mikro-orm/migrations';

/**
 * What a proof was of, so that the next night can go on from it: everything, or what was new and one slice of seven.
 * Facts are found by when they came or changed; rows of one time lie together, which BRIN needs next to nothing for.
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
