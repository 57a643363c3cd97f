import { Migration } from '@mikro-orm/migrations';

/**
 * Several audio renditions, each with a name that tells it apart in playlists and menus; video renditions have none.
 * Also the owner's choice of loudness normalization, which belongs to the purchase, as the quality does.
 */
export class Migration0025SoundTracks extends Migration {
  override up(): void {
    this.addSql(`
      alter table rendition
        add column track smallint not null default 1 check (track > 0),
        add column language text,
        add column label text,
        add column is_description boolean not null default false`);
    this.addSql(`alter table rendition drop constraint rendition_pkey`);
    this.addSql(`alter table rendition add primary key (account_id, video_id, quality, track)`);
    this.addSql(`alter table video add column normalize_loudness boolean not null default false`);
    this.addSql(`alter table quote add column normalize_loudness boolean not null default false`);
  }
}
