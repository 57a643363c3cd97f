import { Migration } from '@mikro-orm/migrations';

/**
 * Several renditions of sound, each with the name that playlists and menus tell it apart by; pictures have none. And the
 * owner's wish that all of it be equally loud: it goes with the purchase, as the quality does.
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
