import { Migration } from '@mikro-orm/migrations';

/**
 * What CLOUD drew from MASTER for one day of storage, by an ALLOCATION of its own. Days charged before have none: MASTER
 * paid its part in the charge itself (`from_master_micros`). A constant default rewrites no row, and a worker of the version
 * before still charges by the old columns.
 */
export class Migration0133StorageDraws extends Migration {
  override up(): void {
    this.addSql(`
      alter table storage_day add column drawn_micros bigint not null default 0,
        add constraint storage_day_drawn check (drawn_micros between 0 and from_cloud_micros) not valid`);
    this.addSql(`alter table storage_day validate constraint storage_day_drawn`);
  }
}
