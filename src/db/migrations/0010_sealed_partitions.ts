import { Migration } from '@mikro-orm/migrations';

/**
 * A statement that names a ledger partition directly fires none of the parent's statement triggers. So each partition
 * refuses changes itself.
 */
export class Migration0010SealedPartitions extends Migration {
  override up(): void {
    this.addSql(`
      do $$
      declare partition regclass;
      begin
        for partition in select inhrelid from pg_inherits where inhparent = 'ledger_entry'::regclass loop
          execute format('create trigger ledger_entry_append_only before update or delete or truncate on %s
            for each statement execute function refuse_change()', partition);
        end loop;
      end $$`);
  }
}
