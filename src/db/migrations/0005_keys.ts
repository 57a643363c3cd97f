import { Migration } from '@mikro-orm/migrations';

/**
 * API keys, and the keys that sign playback tokens.
 *
 * Everything that decides a mint (revocation, suspension, limit, day, count) is in the key's one row, because a
 * statement that waited for a row re-reads that row and no other. No index covers columns that a mint changes.
 */
export class Migration0005Keys extends Migration {
  override up(): void {
    this.addSql(`
      create table api_key (
        account_id uuid not null,
        id uuid not null,
        name text not null,
        hash bytea not null unique,
        prefix text not null,
        last4 text not null,
        daily_limit integer not null default 1000 check (daily_limit >= 0),
        usage_day date not null default '1970-01-01',
        used integer not null default 0 check (used >= 0),
        last_granted integer not null default 0,
        minted_at timestamptz,
        suspended boolean not null default false,
        revoked_at timestamptz,
        created_at timestamptz not null default clock_timestamp(),
        primary key (account_id, id)
      ) with (fillfactor = 50)`);
    this.addSql(`create index api_key_prefix on api_key (prefix)`);
    this.addSql(`
      create table playback_signing_key (
        kid text primary key,
        public_jwk jsonb not null,
        encrypted_private_jwk bytea not null,
        created_at timestamptz not null,
        signs_from timestamptz not null,
        verifies_until timestamptz
      )`);
  }
}
