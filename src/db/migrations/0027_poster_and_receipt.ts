import { Migration } from '@mikro-orm/migrations';

/** Posters that owners choose themselves, and how each rung was made. */
export class Migration0027PosterAndReceipt extends Migration {
  override up(): void {
    // Null where the poster is the one that processing chose.
    this.addSql('alter table video add column poster_key text');
    // Null for what was made before receipts were written.
    this.addSql('alter table rendition add column receipt jsonb');
  }
}
