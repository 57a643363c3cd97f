import { Migration } from '@mikro-orm/migrations';

const ENTRY_PARTITIONS = 16;

/**
 * The double-entry ledger. The account number encodes its rule, so that one CHECK covers all: below 50 never negative,
 * 50–59 never positive, from 60 unrestricted (domain/wallet/ledgerAccounts.ts names them).
 */
export class Migration0003Ledger extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger_account (
        owner_id uuid not null,
        account_no smallint not null,
        balance bigint not null default 0,
        version bigint not null default 0,
        primary key (owner_id, account_no),
        constraint no_overdraft check (
          case when account_no < 50 then balance >= 0
               when account_no < 60 then balance <= 0
               else true end)
      ) with (fillfactor = 80)`);
    this.addSql(`
      create table ledger_tx (
        owner_id uuid not null,
        idempotency_key text not null,
        tx_id uuid not null,
        type text not null check (type in (
          'TOPUP', 'ALLOCATION', 'ESCROW_LOCK', 'ESCROW_SETTLE', 'ESCROW_RELEASE', 'STORAGE',
          'REFERRAL_BONUS', 'REFUND', 'DISPUTE', 'ADJUSTMENT')),
        request_hash bytea not null,
        reference text,
        metadata jsonb not null default '{}',
        created_at timestamptz not null,
        primary key (owner_id, idempotency_key)
      )`);
    this.addSql(`create unique index ledger_tx_id on ledger_tx (owner_id, tx_id)`);
    this.addSql(`
      create table ledger_entry (
        owner_id uuid not null,
        account_no smallint not null,
        version bigint not null,
        tx_id uuid not null,
        delta bigint not null check (delta <> 0),
        balance_after bigint not null,
        created_at timestamptz not null,
        primary key (owner_id, account_no, version)
      ) partition by hash (owner_id)`);
    // Statements and the entries of one tx both read this index: a tx and its entries have the same time.
    this.addSql(`create index ledger_entry_newest on ledger_entry (owner_id, created_at, tx_id)`);
    for (let remainder = 0; remainder < ENTRY_PARTITIONS; remainder += 1) {
      this.addSql(`
        create table ledger_entry_p${remainder} partition of ledger_entry
          for values with (modulus ${ENTRY_PARTITIONS}, remainder ${remainder})`);
    }
    this.addSql(`
      create function refuse_unbalanced() returns trigger language plpgsql as $$
      begin
        if exists (select 1 from added group by owner_id, tx_id having sum(delta) <> 0) then
          raise exception 'unbalanced ledger transaction' using errcode = '23000';
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger ledger_entry_balanced after insert on ledger_entry
        referencing new table as added for each statement execute function refuse_unbalanced()`);
    for (const table of ['ledger_entry', 'ledger_tx']) {
      this.addSql(`
        create trigger ${table}_append_only before update or delete or truncate on ${table}
          for each statement execute function refuse_change()`);
    }
    this.addSql(`
      create table escrow (
        account_id uuid not null,
        video_id uuid not null,
        attempt integer not null,
        bucket smallint not null,
        locked_micros bigint not null check (locked_micros >= 0),
        settled_micros bigint not null default 0 check (settled_micros between 0 and locked_micros),
        status text not null default 'locked' check (status in ('locked', 'settled', 'released')),
        created_at timestamptz not null,
        resolved_at timestamptz,
        primary key (account_id, video_id, attempt)
      )`);
    this.addSql(`create index escrow_open on escrow (account_id, created_at) where status = 'locked'`);
  }
}
