import { Migration } from '@mikro-orm/migrations';

const ENTRY_PARTITIONS = 16;

/** The baseline, 2 of 7: the double-entry ledger, escrow, and the sealed blocks over the books. */
export class Migration0060BaselineLedger extends Migration {
  override up(): void {
    this.addAccounts();
    this.addPostings();
    this.addEscrow();
    this.addSeals();
  }

  /**
   * The account number encodes its rule, so that one CHECK covers all: below 50 never negative, 50–59 never positive,
   * from 60 unrestricted (domain/ledger/ledgerAccounts.ts names them).
   */
  private addAccounts(): void {
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
    // Amounts without a known owner, such as a payment for an unknown order, are posted under the nil owner.
    this.addSql(`
      insert into ledger_account (owner_id, account_no)
        select '00000000-0000-0000-0000-000000000000', n
        from unnest(array[1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65]) n`);
    // What postings may move: each must fit one shape of its type. `migrate` keeps the rows as
    // domain/ledger/ledgerRules.ts defines them, and the functions that post by them as in
    // domain/ledger/ledgerFunctions.ts.
    this.addSql(`
      create table ledger_rule (
        type text not null,
        shape text not null,
        account_no smallint not null,
        direction smallint not null check (direction in (-1, 1)),
        primary key (type, shape, account_no, direction)
      )`);
  }

  private addPostings(): void {
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
    this.addSql(`create index ledger_tx_by_type on ledger_tx (owner_id, type, created_at, tx_id)`);
    this.addSql(`
      create index ledger_tx_by_reference on ledger_tx (owner_id, reference, created_at, tx_id)
        where reference is not null`);
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
    // One account's entries by time. It includes what opening balances add up, so that they are read from the index
    // alone.
    this.addSql(`
      create index ledger_entry_by_account on ledger_entry (owner_id, account_no, created_at, tx_id)
        include (version, delta)`);
    this.addSql(`
      create function refuse_unbalanced() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        if exists (select 1 from added group by owner_id, tx_id having sum(delta) <> 0) then
          raise exception 'unbalanced ledger transaction' using errcode = '23000';
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger ledger_entry_balanced after insert on ledger_entry
        referencing new table as added for each statement execute function refuse_unbalanced()`);
    for (const table of ['ledger_entry', 'ledger_tx']) this.refuseChanges(table);
    for (let remainder = 0; remainder < ENTRY_PARTITIONS; remainder += 1) {
      const partition = `ledger_entry_p${remainder}`;
      this.addSql(`
        create table ${partition} partition of ledger_entry
          for values with (modulus ${ENTRY_PARTITIONS}, remainder ${remainder})`);
      // A statement that names a partition directly fires none of the parent's statement triggers.
      this.refuseChanges(partition, 'ledger_entry_append_only');
    }
    this.addPostingTime();
  }

  /**
   * The time of an owner's next posting. Call it under the lock on the owner's MASTER, which every posting takes: then
   * the times of an owner's postings follow the order of their commits, and nothing is posted earlier than what was
   * already read.
   *
   * A clock that is set back by minutes, by a correction or a switch to another machine, does not reverse that order. A
   * clock that is set back further was wrong before, and is followed, so that a wrong time does not stay forever.
   */
  private addPostingTime(): void {
    // Volatile, so that it sees what was committed while the caller's statement waited for the lock.
    this.addSql(`
      create function posting_time(owner uuid) returns timestamptz
        language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
      declare
        newest timestamptz;
        now timestamptz;
      begin
        select e.created_at into newest from public.ledger_entry e
          where e.owner_id = owner order by e.created_at desc limit 1;
        now := public.service_now();
        if newest > now + interval '5 minutes' then
          return now;
        end if;
        return greatest(now, newest + interval '1 microsecond');
      end $$`);
  }

  private addEscrow(): void {
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
    // Rows of one time are stored together, so BRIN indexes cost next to nothing.
    this.addSql(`create index escrow_created on escrow using brin (created_at)`);
    this.addSql(`create index escrow_resolved on escrow using brin (resolved_at)`);
  }

  private addSeals(): void {
    this.addSql(`
      create table ledger_seal (
        block_no bigint primary key check (block_no > 0),
        sealed_at timestamptz not null,
        previous_digest bytea not null,
        digest bytea not null,
        owners bigint not null,
        entries bigint not null
      )`);
    // Three parallel arrays: an account, the version up to which it is sealed, and the digest of its new entries (null
    // if this block has none of it).
    this.addSql(`
      create table ledger_seal_owner (
        owner_id uuid not null,
        block_no bigint not null,
        previous bytea not null,
        digest bytea not null,
        accounts smallint[] not null,
        versions bigint[] not null,
        parts bytea[] not null,
        version_total bigint not null,
        entries bigint not null,
        primary key (owner_id, block_no)
      )`);
    this.addSql(`create index ledger_seal_owner_block on ledger_seal_owner (block_no, owner_id)`);
    // What a verification covered, so that the next night continues from it: everything, or new rows and one slice of
    // seven.
    this.addSql(`
      create table ledger_audit (
        id uuid primary key,
        night date unique,
        verified_at timestamptz not null,
        transactions bigint not null,
        entries bigint not null,
        faults integer not null,
        first_fault text,
        scope text not null default 'all',
        last_block bigint not null default 0,
        faulty_owners uuid[] not null default '{}'
      )`);
    this.addSql(`create index ledger_audit_newest on ledger_audit (verified_at desc)`);
    // A night's verification is recorded before it is sealed, whether or not the sealing succeeds.
    this.addSql(`create table ledger_seal_night (night date primary key, sealed_at timestamptz not null)`);
    // Blocks that the archive has but a restored database lost, and why. Written once a person has confirmed it, and
    // kept forever.
    this.addSql(`
      create table ledger_seal_reconciliation (
        id uuid primary key,
        first_block bigint not null check (first_block > 0),
        last_block bigint not null check (last_block >= first_block),
        digest text not null check (digest ~ '^[0-9a-f]{64}$'),
        reason text not null,
        reconciled_at timestamptz not null
      )`);
    const kept = [
      'ledger_seal',
      'ledger_seal_owner',
      'ledger_audit',
      'ledger_seal_night',
      'ledger_seal_reconciliation',
    ];
    for (const table of kept) this.refuseChanges(table);
  }

  private refuseChanges(table: string, trigger = `${table}_append_only`): void {
    this.addSql(`
      create trigger ${trigger} before update or delete or truncate on ${table}
        for each statement execute function refuse_change()`);
  }
}
