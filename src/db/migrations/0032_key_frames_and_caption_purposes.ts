import { Migration } from '@mikro-orm/migrations';

/** What multivariant playlists say besides: of key frames, and whom captions are for. */
export class Migration0032KeyFramesAndCaptionPurposes extends Migration {
  override up(): void {
    // Null where key frames are not listed: of sound, of encrypted rungs, and of what was made before.
    this.addSql(`
      alter table rendition add column key_frame_bitrate integer, add column key_frame_average_bitrate integer`);
    this.addSql(`
      alter table caption
        add column is_forced boolean not null default false,
        add column is_sdh boolean not null default false`);
  }
}
