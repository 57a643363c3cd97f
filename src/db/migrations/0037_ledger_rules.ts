import { Migration } from '@mikro-orm/migrations';

/**
 * What postings may move. `migrate` keeps the rows as domain/wallet/ledgerRules.ts defines them, and the functions that
 * post by them as in db/ledgerFunctions.ts. A posting must fit one shape of its type.
 */
export class Migration0037LedgerRules extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger_rule (
        type text not null,
        shape text not null,
        account_no smallint not null,
        direction smallint not null check (direction in (-1, 1)),
        primary key (type, shape, account_no, direction)
      )`);
  }
}
