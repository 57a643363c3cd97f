import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Sql } from '../../../src/db/sql.js';
import { checkBlocks, checkSealedEntries } from '../../../src/domain/ledger/seals/sealChecks.js';
import { sealUpToNow } from '../../../src/domain/ledger/seals/sealLedger.js';
import { LEDGER_ACCOUNTS, type LedgerAccountName } from '../../../src/domain/ledger/ledgerAccounts.js';
import { post, type Posting } from '../../../src/domain/ledger/posting.js';
import { checkLedger } from '../../../src/domain/ledger/verify/verify.js';
import type { SealHead } from '../../../src/ports/sealArchive.js';
import { openFullBooks, type FullBooks } from './fullBooks.js';

const CREDIT = 1_000_000n;
const TIMESTAMPTZ = 1184;
/** Reads times as text, like the service. */
const AS_TEXT = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === TIMESTAMPTZ ? String : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** The owner of the tables, without triggers. A forgery lasts until `undo`. */
class Forger {
  readonly sql: Sql = {
    query: async ({ text }, values) => (await this.client.query(text, [...(values ?? [])])).rows,
  };

  private constructor(
    readonly books: FullBooks,
    readonly client: pg.Client,
    private readonly archived: readonly SealHead[],
  ) {}

  /** Opens books in which all but one allocation is sealed. */
  static async open(): Promise<Forger> {
    const books = await openFullBooks();
    const archived = await sealUpToNow(books.rig.db);
    const move = { from: 'MASTER', to: 'AI', amountMicros: CREDIT / 4n, idempotencyKey: 'not sealed yet' } as const;
    await books.rig.wallet.allocate(books.stranger, move);
    const client = new pg.Client({
      connectionString: books.rig.database.migrationUrl,
      options: '-c timezone=UTC',
      types: AS_TEXT,
    });
    await client.connect();
    return new Forger(books, client, archived);
  }

  async begin(): Promise<void> {
    await this.client.query('begin; set local session_replication_role = replica');
  }

  async undo(): Promise<void> {
    await this.client.query('rollback');
  }

  async close(): Promise<void> {
    await this.client.end();
    await this.books.rig.stop();
  }

  async rows(text: string): Promise<void> {
    await this.client.query(text);
  }

  /** A posting like the service's, whatever it moves: balanced, with its hash, versions and balances. */
  async forge(posting: Partial<Posting> & Pick<Posting, 'type' | 'idempotencyKey' | 'deltas'>): Promise<void> {
    for (const [name, delta] of Object.entries(posting.deltas) as [LedgerAccountName, bigint][]) {
      const leg = `${LEDGER_ACCOUNTS[name]}, ${delta < 0n ? -1 : 1}`;
      await this.rows(`insert into ledger_rule values ('${posting.type}', 'forged', ${leg})`);
    }
    await post(this.sql, { ownerId: this.books.stranger, ...posting });
    await this.rows(`delete from ledger_rule where shape = 'forged'`);
  }

  /** Removes a posting so that all sums, versions and balances still fit. */
  async erase(ownerId: string, key: string): Promise<void> {
    const { rows: entries } = await this.client.query<{ account_no: number; version: string; delta: string }>(
      `select e.* from ledger_entry e join ledger_tx t using (owner_id, tx_id)
        where t.owner_id = $1 and t.idempotency_key = $2`,
      [ownerId, key],
    );
    if (entries.length === 0) throw new Error(`there is no posting ${key}`);
    await this.rows('alter table ledger_account drop constraint no_overdraft');
    for (const { account_no: no, version, delta } of entries) {
      const where = `owner_id = '${ownerId}' and account_no = ${no}`;
      await this.rows(`delete from ledger_entry where ${where} and version = ${version}`);
      await this.rows(`update ledger_entry set version = -(version - 1), balance_after = balance_after - (${delta})
        where ${where} and version > ${version}`);
      await this.rows(`update ledger_entry set version = -version where ${where} and version < 0`);
      await this.rows(`update ledger_account set version = version - 1, balance = balance - (${delta}) where ${where}`);
    }
    await this.rows(`delete from ledger_tx where owner_id = '${ownerId}' and idempotency_key = '${key}'`);
  }

  /** `check: subject` of every fault. */
  async found(): Promise<string[]> {
    const { faults } = await checkLedger(this.sql);
    const sealed = [];
    for await (const page of checkSealedEntries(this.sql)) sealed.push(...page);
    sealed.push(...(await checkBlocks(this.sql, { heads: this.archived, odd: [] })));
    return [...faults, ...sealed].map(({ check, subject }) => `${check}: ${subject}`);
  }
}

/** A condition for the entry of a posting in one account. */
export function entryOf(ownerId: string, key: string, account: LedgerAccountName): string {
  return `owner_id = '${ownerId}' and account_no = ${LEDGER_ACCOUNTS[account]} and tx_id = (
    select tx_id from ledger_tx where owner_id = '${ownerId}' and idempotency_key = '${key}')`;
}

export interface Forgery {
  readonly what: string;
  readonly make: () => Promise<unknown>;
  /** The beginning of one of the rows found. */
  readonly names: () => string;
}

/** Tests that each forgery is found by its check, and that untouched books have no fault. */
export function testForgeries(of: string, forgeries: (forger: Forger) => readonly Forgery[]): void {
  describe(`the verification of ${of}`, () => {
    let opened: Forger | undefined;
    // The books are opened in `beforeAll`, after the cases are listed.
    const forger = new Proxy({} as Forger, { get: (_, name) => Reflect.get(opened!, name) as unknown });

    beforeAll(async () => {
      opened = await Forger.open();
    });
    afterAll(() => opened?.close());
    beforeEach(() => forger.begin());
    afterEach(() => forger.undo());

    it('finds no fault in untouched books', async () => {
      expect(await forger.found()).toEqual([]);
    });

    it.each(forgeries(forger))('finds $what', async ({ make, names }) => {
      await make();
      expect(await forger.found()).toContainEqual(expect.stringMatching(new RegExp(`^${names()}`)));
    });
  });
}
