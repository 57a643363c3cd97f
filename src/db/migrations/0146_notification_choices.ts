import { Migration } from '@mikro-orm/migrations';

/** What owners want to hear of, by kind. Without a row, and where a column is null, the default of the kind holds. */
export class Migration0146NotificationChoices extends Migration {
  override up(): void {
    this.addSql(`
      create table notification_choice (
        account_id uuid not null,
        kind text not null,
        email boolean,
        dashboard boolean,
        primary key (account_id, kind)
      )`);
  }
}
