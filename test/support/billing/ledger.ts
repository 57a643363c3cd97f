import type pg from 'pg';

import { newId } from '../../../src/domain/shared/ids.js';
import { LEDGER_ACCOUNTS, type LedgerAccountName } from '../../../src/domain/ledger/ledgerAccounts.js';
import type { LedgerTxType } from '../../../src/domain/ledger/ledgerRules.js';

/** A posting at any time in the past. */
export interface PastPosting {
  readonly type: LedgerTxType;
  readonly at: Date | string;
  readonly deltas: Partial<Record<LedgerAccountName, bigint>>;
  readonly key?: string;
  readonly reference?: string;
  readonly metadata?: Record<string, string>;
}

/** One entry of the owner, kept in memory to compare the books with. */
export interface ModelEntry {
  readonly account: LedgerAccountName;
  readonly type: LedgerTxType;
  readonly deltaMicros: bigint;
  readonly balanceAfterMicros: bigint;
  readonly at: Date;
  readonly txId: string;
  readonly reference: string | null;
}

/** Writes past postings as the role that owns the tables, and remembers them. */
export class PastLedger {
  readonly entries: ModelEntry[] = [];
  private readonly balances = new Map<LedgerAccountName, bigint>();
  private written = 0;
  private readonly versions = new Map<LedgerAccountName, number>();

  constructor(
    private readonly admin: pg.Pool,
    readonly ownerId: string,
  ) {}

  static async of(admin: pg.Pool, accountId: string = newId()): Promise<PastLedger> {
    await admin.query('select open_account($1)', [accountId]);
    return new PastLedger(admin, accountId);
  }

  balance(account: LedgerAccountName): bigint {
    return this.balances.get(account) ?? 0n;
  }

  /** Writes all postings at once: a hundred thousand take a few seconds. */
  async write(postings: readonly PastPosting[]): Promise<void> {
    const txs: unknown[] = [];
    const entries: unknown[] = [];
    for (const posting of postings) {
      // Ids increase, so that postings with the same time keep their order.
      const txId = newId((this.written += 1));
      const at = new Date(posting.at);
      const key = posting.key ?? `past:${txId}`;
      txs.push({
        tx_id: txId,
        type: posting.type,
        key,
        at: at.toISOString(),
        reference: posting.reference ?? null,
        metadata: posting.metadata ?? {},
      });
      const total = Object.values(posting.deltas).reduce((sum, delta) => sum + delta, 0n);
      const deltas = { ...posting.deltas, ...(total === 0n ? {} : { ADJUSTMENT: -total }) };
      for (const [name, delta] of Object.entries(deltas) as [LedgerAccountName, bigint][]) {
        const balance = this.balance(name) + delta;
        const version = (this.versions.get(name) ?? 0) + 1;
        this.balances.set(name, balance);
        this.versions.set(name, version);
        const accountNo = LEDGER_ACCOUNTS[name];
        entries.push({
          tx_id: txId,
          no: accountNo,
          version,
          delta: `${delta}`,
          after: `${balance}`,
          at: at.toISOString(),
        });
        if (accountNo >= LEDGER_ACCOUNTS.CASH) continue;
        this.entries.push({
          account: name,
          type: posting.type,
          deltaMicros: delta,
          balanceAfterMicros: balance,
          at,
          txId,
          reference: posting.reference ?? null,
        });
      }
    }
    await this.admin.query(
      `insert into ledger_tx (owner_id, idempotency_key, tx_id, type, request_hash, reference, metadata, created_at)
       select $1, key, tx_id, type, '', reference, metadata, at
       from jsonb_to_recordset($2) t(key text, tx_id uuid, type text, reference text, metadata jsonb, at timestamptz)`,
      [this.ownerId, JSON.stringify(txs)],
    );
    await this.admin.query(
      `insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
       select $1, no, version, tx_id, delta, "after", at
       from jsonb_to_recordset($2)
         e(no smallint, version bigint, tx_id uuid, delta bigint, "after" bigint, at timestamptz)`,
      [this.ownerId, JSON.stringify(entries)],
    );
    await this.admin.query(
      `update ledger_account a set balance = last.balance_after, version = last.version
       from (select distinct on (account_no) account_no, version, balance_after from ledger_entry
         where owner_id = $1 order by account_no, version desc) last
       where a.owner_id = $1 and a.account_no = last.account_no`,
      [this.ownerId],
    );
  }
}
