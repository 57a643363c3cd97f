import { Migration } from '@mikro-orm/migrations';

/**
 * Storyboards, captions and chapters of a video. Texts are small and change after publishing, so they are stored here
 * and not in the object store.
 */
export class Migration0022TextTracks extends Migration {
  override up(): void {
    // Paths below the published prefix, and below the public address. `texts_taken_at`: the source's embedded texts are
    // imported only once, so that processing the video again does not undo the owner's edits.
    this.addSql(`
      alter table video
        add column storyboard_path text,
        add column preview_path text,
        add column chapters jsonb not null default '[]',
        add column texts_taken_at timestamptz`);
    this.addSql(`
      create table caption (
        account_id uuid not null,
        video_id uuid not null,
        id uuid not null,
        language text not null,
        label text not null,
        origin text not null check (origin in ('source', 'upload')),
        vtt text not null check (octet_length(vtt) <= 2000000),
        size_bytes integer not null,
        created_at timestamptz not null,
        primary key (account_id, video_id, id)
      )`);
    // A label is unique within a video: playlists, menus and people tell tracks apart by it.
    this.addSql(`create unique index caption_label on caption (account_id, video_id, label)`);
  }
}
