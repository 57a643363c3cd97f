import { Migration } from '@mikro-orm/migrations';

/**
 * Columns are called what the glossary calls them. What chunks of runs in progress say of themselves is renamed with
 * them, so that the next worker takes them over.
 */
export class Migration0065PlainWords extends Migration {
  override up(): void {
    this.addSql(`alter table processing rename column borders to boundaries`);
    this.addSql(`alter table processing_chunk rename column has_borders to has_boundaries`);
    this.addSql(`alter table processing_chunk rename column rungs to renditions`);
    this.addSql(`
      update processing_chunk
        set facts = replace(replace(facts::text, '"rungs":', '"renditions":'), '"likeness":', '"similarity":')::jsonb
        where facts is not null`);
  }
}
