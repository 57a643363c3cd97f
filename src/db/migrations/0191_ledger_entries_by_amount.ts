import { Migration } from '@mikro-orm/migrations';

const LEDGER_PARTITIONS = 16;
/** The company's side of a posting, from account 60 on, is never searched. */
const OWNERS_SIDE = '(owner_id, abs(delta), created_at, tx_id, account_no) where account_no < 60';

/** An owner finds entries by their amount, however old they are. */
export class Migration0191LedgerEntriesByAmount extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (let n = 0; n < LEDGER_PARTITIONS; n += 1) {
      const name = `ledger_entry_p${n}_by_amount`;
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ledger_entry_p${n} ${OWNERS_SIDE}`);
    }
  }
}
