import { Migration } from '@mikro-orm/migrations';

/** Backups that were completed, so that the doctor and a metric can tell how old the last one is. */
export class Migration0111Backups extends Migration {
  override up(): void {
    this.addSql(`
      create table backup (
        id uuid not null primary key,
        snapshot text not null,
        finished_at timestamptz not null
      )`);
    this.addSql(`create index backup_finished on backup (finished_at)`);
  }
}
