import { Migration } from '@mikro-orm/migrations';

/** Tokens with which an owner's programs use GraphQL. Only their hashes are stored. */
export class Migration0085AccessTokens extends Migration {
  override up(): void {
    this.addSql(`
      create table access_token (
        account_id uuid not null,
        id uuid not null,
        name text not null,
        scopes text[] not null check (scopes <@ '{read,manage,money}' and 'read' = any (scopes)),
        hash bytea not null unique,
        prefix text not null,
        last4 text not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        primary key (account_id, id)
      )`);
  }
}
