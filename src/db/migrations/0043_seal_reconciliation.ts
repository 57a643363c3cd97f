import { Migration } from '@mikro-orm/migrations';

/**
 * Blocks that the archive has but a restored database lost, and why. Written once a person has confirmed it, and kept
 * forever.
 */
export class Migration0043SealReconciliation extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger_seal_reconciliation (
        id uuid primary key,
        first_block bigint not null check (first_block > 0),
        last_block bigint not null check (last_block >= first_block),
        digest text not null check (digest ~ '^[0-9a-f]{64}$'),
        reason text not null,
        reconciled_at timestamptz not null
      )`);
    this.addSql(`
      create trigger ledger_seal_reconciliation_append_only before update or delete or truncate
        on ledger_seal_reconciliation for each statement execute function refuse_change()`);
  }
}
