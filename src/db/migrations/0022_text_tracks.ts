import { Migration } from '@mikro-orm/migrations';

/**
 * What goes with a film: pictures along its timeline, captions, and chapters. Texts are small and change after the film
 * was published, so they lie here and not in the object store.
 */
export class Migration0022TextTracks extends Migration {
  override up(): void {
    // Below the published prefix, and below the public address. `texts_taken_at`: the source's own texts were taken
    // over once; what its owner made of them since is not undone by processing it again.
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
    // A label names one track of a film: playlists, menus and people tell tracks apart by it.
    this.addSql(`create unique index caption_label on caption (account_id, video_id, label)`);
  }
}
