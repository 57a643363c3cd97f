import { Migration } from '@mikro-orm/migrations';

/** When a view's token was first exchanged, for its story. Unknown for views that were written before. */
export class Migration0125ExchangeTimes extends Migration {
  override up(): void {
    this.addSql(`alter table playback_view add column exchanged_at timestamptz`);
  }
}
