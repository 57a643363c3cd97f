import { Migration } from '@mikro-orm/migrations';

/** Sealed blocks over the books, the record of every verification, and adjustments that need a second person. */
export class Migration0019SealsAndApprovals extends Migration {
  override up(): void {
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
    this.addSql(`
      create table ledger_audit (
        id uuid primary key,
        night date unique,
        verified_at timestamptz not null,
        transactions bigint not null,
        entries bigint not null,
        faults integer not null,
        first_fault text
      )`);
    this.addSql(`create index ledger_audit_newest on ledger_audit (verified_at desc)`);
    for (const table of ['ledger_seal', 'ledger_seal_owner', 'ledger_audit']) {
      this.addSql(`
        create trigger ${table}_append_only before update or delete or truncate on ${table}
          for each statement execute function refuse_change()`);
    }
    // The database enforces the four-eyes rule too, so that no code can forget it.
    this.addSql(`
      create table adjustment (
        account_id uuid not null,
        id uuid not null,
        amount_micros bigint not null check (amount_micros <> 0),
        reason text not null,
        idempotency_key text not null,
        status text not null check (status in ('posted', 'pending', 'approved', 'refused')),
        requested_by uuid not null check (requested_by <> account_id),
        requested_at timestamptz not null,
        expires_at timestamptz,
        decided_by uuid check (decided_by <> requested_by and decided_by <> account_id),
        decided_at timestamptz,
        decision_reason text,
        tx_id uuid,
        primary key (account_id, id),
        unique (account_id, idempotency_key),
        check ((status in ('approved', 'refused')) = (decided_by is not null)),
        check ((status in ('approved', 'posted')) = (tx_id is not null))
      )`);
    this.addSql(`create index adjustment_of_person on adjustment (account_id, requested_by, requested_at)`);
    this.addSql(`create index adjustment_newest on adjustment (requested_at desc, id desc)`);
    // Staff list the failed videos of all accounts.
    this.addSql(`
      create index video_failed on video (updated_at desc, id desc) where status = 'failed' and deleted_at is null`);
  }
}
