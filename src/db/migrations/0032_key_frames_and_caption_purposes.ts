import { Migration } from '@mikro-orm/migrations';

/** Further facts for multivariant playlists: bitrates of keyframes, and whom captions are for. */
export class Migration0032KeyFramesAndCaptionPurposes extends Migration {
  override up(): void {
    // Null if keyframes are not listed: for sound, for encrypted renditions, and for older ones.
    this.addSql(`
      alter table rendition add column key_frame_bitrate integer, add column key_frame_average_bitrate integer`);
    this.addSql(`
      alter table caption
        add column is_forced boolean not null default false,
        add column is_sdh boolean not null default false`);
  }
}
