import { Migration } from '@mikro-orm/migrations';

/**
 * Indexes for statements and filters of the ledger, billing details, invoices, and low-balance warnings.
 *
 * `invoice` is append-only: an issued number keeps its facts, whatever settings and details become later.
 */
export class Migration0018Billing extends Migration {
  override up(): void {
    // One account's entries by time. It includes what opening balances add up, so that they are read from the index
    // alone.
    this.addSql(`
      create index ledger_entry_by_account on ledger_entry (owner_id, account_no, created_at, tx_id)
        include (version, delta)`);
    this.addSql(`create index ledger_tx_by_type on ledger_tx (owner_id, type, created_at, tx_id)`);
    this.addSql(`
      create index ledger_tx_by_reference on ledger_tx (owner_id, reference, created_at, tx_id)
        where reference is not null`);
    this.addSql(`
      create table billing_details (
        account_id uuid primary key,
        legal_name text not null,
        address_lines text[] not null,
        country text not null check (country ~ '^[A-Z]{2}$'),
        state_code text check (state_code ~ '^[0-9]{2}$'),
        gstin text check (gstin ~ '^[0-9A-Z]{15}$'),
        email text,
        updated_at timestamptz not null
      )`);
    this.addSql(`
      create table invoice_counter (
        series text not null,
        kind text not null,
        financial_year text not null,
        last_number integer not null check (last_number > 0),
        primary key (series, kind, financial_year)
      )`);
    this.addSql(`
      create table invoice (
        account_id uuid not null,
        top_up_id uuid not null,
        kind text not null check (kind in ('receipt', 'invoice', 'credit_note')),
        refund_id text not null default '',
        series text not null,
        financial_year text not null check (financial_year ~ '^[0-9]{4}$'),
        number integer not null check (number > 0),
        issued_at timestamptz not null,
        facts jsonb not null,
        primary key (account_id, top_up_id, refund_id),
        check ((kind = 'credit_note') = (refund_id <> ''))
      )`);
    this.addSql(`create unique index invoice_number on invoice (series, kind, financial_year, number)`);
    this.addSql(`
      create trigger invoice_append_only before update or delete or truncate on invoice
        for each statement execute function refuse_change()`);
    // No row: the default threshold, for accounts that ever topped up. A row without a threshold: no warnings.
    this.addSql(`
      create table low_balance (
        account_id uuid primary key,
        is_default boolean not null,
        threshold_micros bigint check (threshold_micros > 0),
        below_since timestamptz,
        crossings integer not null default 0
      )`);
  }
}
