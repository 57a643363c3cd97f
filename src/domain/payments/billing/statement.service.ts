import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { ledgerAccountName, SPENDABLE_ACCOUNTS, type LedgerAccountName } from '../../ledger/ledgerAccounts.js';
import { awaitPostings } from '../../ledger/lockWallet.js';
import { ledgerLineOf } from '../../ledger/ledgerLines.js';
import type { LedgerTxType } from '../../ledger/ledgerRules.js';
import type { WalletService } from '../../ledger/wallet.service.js';
import { parseMonth, type Month } from './months.js';
import { ENTRIES, HOLDER, MONTHS, OPENINGS, TOTALS, type TotalRow } from '../../ledger/statement.sql.js';
import { titledLines, type TitledLine } from './titledLines.js';

const ENTRIES_PER_PAGE = 1_000;
/** Sorts before every entry of the same time. */
const FIRST = { txId: '00000000-0000-0000-0000-000000000000', accountNo: -1 };
/** Ledger accounts that the owner sees have numbers below this. */
const VERSION_SLOTS = 59;

/** A month's balances of the whole wallet: buckets, escrow, holds and debt. */
export interface MonthBalance {
  /** YYYY-MM */
  readonly month: string;
  /** True for the current month. */
  readonly isToDate: boolean;
  readonly openingMicros: bigint;
  readonly closingMicros: bigint;
}

export interface AccountBalance {
  readonly account: LedgerAccountName;
  readonly openingMicros: bigint;
  readonly closingMicros: bigint;
  readonly entries: number;
}

/** What all entries of a type changed in the whole wallet. Moving credits within it changes nothing. */
export interface TypeTotal {
  readonly type: LedgerTxType;
  readonly amountMicros: bigint;
  readonly entries: number;
}

/** One entry, with its account's balance in the order of the statement. */
export interface StatementEntry extends Omit<TitledLine, 'balanceAfterMicros' | 'cursor'> {
  readonly balanceMicros: bigint;
}

export interface MonthlyStatement {
  readonly holder: { readonly name: string; readonly email: string };
  readonly month: Month;
  readonly isToDate: boolean;
  /** When the books were read. */
  readonly asOf: Date;
  /** The buckets, and other accounts with a balance or entries in this month. */
  readonly accounts: readonly AccountBalance[];
  readonly totals: readonly TypeTotal[];
  readonly entryCount: number;
  /** All entries, oldest first, in batches that are read on demand. Stops at once when the signal is aborted. */
  entries(signal: AbortSignal): AsyncGenerator<readonly StatementEntry[]>;
}

/** Monthly statements: opening balance + entries = closing balance = the next month's opening balance, exactly. */
export class StatementService {
  constructor(private readonly deps: { readonly db: Database; readonly wallet: WalletService }) {}

  /** The months that have statements, newest first. */
  async months(accountId: string): Promise<MonthBalance[]> {
    await awaitPostings(this.deps.db.sql, accountId, null);
    const rows = await execute(this.deps.db.sql, MONTHS, { accountId });
    return rows.map((row) => ({
      month: row.month,
      isToDate: row.is_to_date,
      openingMicros: BigInt(row.closing) - BigInt(row.change),
      closingMicros: BigInt(row.closing),
    }));
  }

  /**
   * Opens the statement of one month (`YYYY-MM`) as the books are now. The statement of a past month never changes,
   * because this waits for postings that were in progress when the month ended.
   *
   * @throws NOT_FOUND for an invalid month, one before the account's first, or a future one
   */
  async open(accountId: string, name: string): Promise<MonthlyStatement> {
    const month = parseMonth(name);
    const [holder] = await execute(this.deps.db.sql, HOLDER, { accountId });
    if (!month || !holder || month.to <= new Date(holder.born) || month.from > new Date(holder.now)) {
      throw new AppError('NOT_FOUND', 'No statement exists for this month.');
    }
    await awaitPostings(this.deps.db.sql, accountId, month.to);
    const openings = await execute(this.deps.db.sql, OPENINGS, { accountId, from: month.from });
    const versions = Array.from(
      { length: VERSION_SLOTS },
      (_, slot) => openings.find((row) => row.account_no === slot + 1)?.version ?? '0',
    );
    const totals = await execute(this.deps.db.sql, TOTALS, { accountId, from: month.from, to: month.to, versions });
    const accounts = openings.map((row) => {
      const changes = totals.filter((total) => total.account_no === row.account_no);
      const openingMicros = BigInt(row.opening);
      const closingMicros = changes.reduce((sum, { total }) => sum + BigInt(total), openingMicros);
      return {
        account: ledgerAccountName(row.account_no),
        openingMicros,
        closingMicros,
        entries: entriesIn(changes),
      };
    });
    return {
      holder: { name: holder.name ?? '', email: holder.email ?? '' },
      month,
      isToDate: month.to > new Date(holder.now),
      asOf: new Date(holder.now),
      accounts: accounts.filter(isWorthShowing),
      totals: typeTotals(totals),
      entryCount: entriesIn(totals),
      entries: (signal) => this.entries(accountId, { month, versions, accounts }, signal),
    };
  }

  private async *entries(
    accountId: string,
    { month, versions, accounts }: { month: Month; versions: readonly string[]; accounts: readonly AccountBalance[] },
    signal: AbortSignal,
  ): AsyncGenerator<readonly StatementEntry[]> {
    const balances = new Map(accounts.map(({ account, openingMicros }) => [account, openingMicros]));
    let last = { at: month.from.toISOString(), ...FIRST };
    for (;;) {
      signal.throwIfAborted();
      const rows = await execute(this.deps.db.sql, ENTRIES, {
        accountId,
        afterTime: last.at,
        to: month.to,
        versions,
        afterTxId: last.txId,
        afterAccountNo: last.accountNo,
        entriesPerPage: ENTRIES_PER_PAGE,
      });
      const end = rows.at(-1);
      if (end === undefined) return;
      const lines = await titledLines(this.deps.wallet, accountId, rows.map(ledgerLineOf));
      yield lines.map((line) => {
        const balanceMicros = (balances.get(line.account) ?? 0n) + line.deltaMicros;
        balances.set(line.account, balanceMicros);
        return { ...line, balanceMicros };
      });
      if (rows.length < ENTRIES_PER_PAGE) return;
      last = { at: end.created_at, txId: end.tx_id, accountNo: end.account_no };
    }
  }
}

function isWorthShowing({ account, openingMicros, entries }: AccountBalance): boolean {
  return (SPENDABLE_ACCOUNTS as readonly string[]).includes(account) || openingMicros !== 0n || entries > 0;
}

function entriesIn(totals: readonly TotalRow[]): number {
  return totals.reduce((sum, { entries }) => sum + entries, 0);
}

function typeTotals(rows: readonly TotalRow[]): TypeTotal[] {
  return [...Map.groupBy(rows, (row) => row.type)]
    .map(([type, ofType]) => ({
      type,
      amountMicros: ofType.reduce((sum, { total }) => sum + BigInt(total), 0n),
      entries: entriesIn(ofType),
    }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
}
