import { Migration } from '@mikro-orm/migrations';

/**
 * Whether a chunk's segments begin at the boundaries of a passthrough rendition, or at constant intervals. A run adopts
 * chunks of an earlier run only if it would have made the same.
 */
export class Migration0034AdoptedChunks extends Migration {
  override up(): void {
    this.addSql(`alter table processing_chunk add column has_borders boolean not null default false`);
    this.addSql(`
      update processing_chunk c set has_borders = true from processing p
      where p.account_id = c.account_id and p.video_id = c.video_id and p.attempt = c.attempt and p.borders is not null`);
  }
}
