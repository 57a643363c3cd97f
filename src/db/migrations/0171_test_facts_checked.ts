import { Migration } from '@mikro-orm/migrations';

/** Reads the table, which the migration before must not do while it holds its lock. */
export class Migration0171TestFactsChecked extends Migration {
  override up(): void {
    for (const name of ['known', 'time', 'amount', 'dated']) {
      this.addSql(`alter table test_fault validate constraint test_fault_${name}`);
    }
  }
}
