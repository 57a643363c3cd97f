import { Migration } from '@mikro-orm/migrations';

/** Which nights were sealed. A night's verification is recorded before, whether or not the sealing succeeds. */
export class Migration0039SealedNights extends Migration {
  override up(): void {
    this.addSql(`create table ledger_seal_night (night date primary key, sealed_at timestamptz not null)`);
    this.addSql(`
      create trigger ledger_seal_night_append_only before update or delete or truncate on ledger_seal_night
        for each statement execute function refuse_change()`);
    this.addSql(`
      insert into ledger_seal_night (night, sealed_at)
      select night, verified_at from ledger_audit where night is not null`);
  }
}
