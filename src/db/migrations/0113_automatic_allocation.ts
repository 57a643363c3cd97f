import { Migration } from '@mikro-orm/migrations';

/**
 * Whether a bucket that is short draws what is missing from MASTER. Without a row it does. Replaces `storage_rule`, which
 * said the same of CLOUD alone and was off without a row; what owners chose there stays as they chose it.
 */
export class Migration0113AutomaticAllocation extends Migration {
  override up(): void {
    this.addSql(`
      create table automatic_allocation (
        account_id uuid not null,
        bucket smallint not null check (bucket in (2, 3, 4)),
        enabled boolean not null,
        updated_at timestamptz not null,
        primary key (account_id, bucket)
      )`);
    this.addSql(`
      insert into automatic_allocation (account_id, bucket, enabled, updated_at)
      select account_id, 2, auto_allocate, updated_at from storage_rule`);
    this.addSql(`drop table storage_rule`);
  }
}
