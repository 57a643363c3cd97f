import { Migration } from '@mikro-orm/migrations';

/**
 * Keys of encrypted videos, each encrypted under the master key that `master_key_id` names, and secrets that outlive a
 * master key. Each run of an attempt has its own keys, so nobody can read what a lost run wrote.
 */
export class Migration0023MediaKeys extends Migration {
  override up(): void {
    this.addSql(`
      create table media_key (
        account_id uuid not null,
        video_id uuid not null,
        attempt integer not null,
        run integer not null,
        key_index integer not null check (key_index >= 0),
        master_key_id text not null,
        sealed bytea not null,
        created_at timestamptz not null,
        primary key (account_id, video_id, attempt, run, key_index)
      )`);
    // Null in older rows: their master key is found by trying.
    this.addSql(`alter table playback_signing_key add column master_key_id text`);
    this.addSql(`
      create table lasting_secret (
        purpose text primary key,
        master_key_id text not null,
        sealed bytea not null,
        created_at timestamptz not null
      )`);
  }
}
