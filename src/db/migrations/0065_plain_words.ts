import { Migration } from '@mikro-orm/migrations';

/**
 * Renames columns to the glossary's terms. Also renames the fields that chunks of runs in progress recorded, so that
 * the next worker adopts them.
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
