import { Migration } from '@mikro-orm/migrations';

/**
 * Logos and their placement. A version never changes, so that everything bought with it looks as it did then. Versions
 * that nothing can use any more are deleted. Logos are small and change with their account, not with a video, so they
 * are stored here and not in the object store.
 */
export class Migration0026Branding extends Migration {
  override up(): void {
    // Keyed by content: moving a logo does not store it again.
    this.addSql(`
      create table brand_logo (
        account_id uuid not null,
        sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
        png bytea not null check (octet_length(png) <= 1500000),
        width integer not null check (width between 1 and 1024),
        height integer not null check (height between 1 and 1024),
        created_at timestamptz not null,
        primary key (account_id, sha256)
      )`);
    // PNG is already compressed.
    this.addSql(`alter table brand_logo alter column png set storage external`);
    this.addSql(`
      create table brand_version (
        account_id uuid not null,
        version integer not null check (version > 0),
        logo_sha256 text not null,
        position text not null
          check (position in ('top_left', 'top_right', 'bottom_left', 'bottom_right', 'center')),
        width_percent integer not null check (width_percent between 2 and 50),
        margin_percent integer not null check (margin_percent between 0 and 20),
        opacity_percent integer not null check (opacity_percent between 5 and 100),
        created_at timestamptz not null,
        primary key (account_id, version),
        foreign key (account_id, logo_sha256) references brand_logo
      )`);
    this.addSql(`create index brand_version_logo on brand_version (account_id, logo_sha256)`);
    // This row is the lock of an account's branding. The last number outlives its version, so that no number is used
    // twice.
    this.addSql(`
      create table brand (
        account_id uuid primary key,
        current_version integer,
        last_version integer not null,
        foreign key (account_id, current_version) references brand_version
      )`);
    // Null without branding, and for purchases from before branding existed.
    this.addSql(`alter table processing add column brand_version integer`);
    this.addSql(`
      create index processing_brand_version on processing (account_id, brand_version) where brand_version is not null`);
  }
}
