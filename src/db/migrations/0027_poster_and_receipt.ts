import { Migration } from '@mikro-orm/migrations';

/** Posters that owners choose, and how each rendition was made. */
export class Migration0027PosterAndReceipt extends Migration {
  override up(): void {
    // Null if processing chose the poster.
    this.addSql('alter table video add column poster_key text');
    // Null for renditions made before receipts existed.
    this.addSql('alter table rendition add column receipt jsonb');
  }
}
