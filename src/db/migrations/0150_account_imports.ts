import { Migration } from '@mikro-orm/migrations';

/**
 * Accounts that came from another service. The row is the fact behind the adjustment that brings their credits, and no
 * archive is imported twice.
 */
export class Migration0150AccountImports extends Migration {
  override up(): void {
    this.addSql(`
      create table account_import (
        account_id uuid primary key,
        archive_id uuid not null unique,
        origin text not null,
        exported_at timestamptz not null,
        amount_micros bigint not null check (amount_micros >= 0),
        tx_id uuid,
        imported_at timestamptz not null,
        check ((amount_micros = 0) = (tx_id is null))
      )`);
  }
}
