import { execute, type Sql } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { ledgerAccountName, type LedgerAccountName } from './ledgerAccounts.js';
import { causeOf, type LedgerCause } from './ledgerCause.js';
import { ledgerRange, type LedgerFilter, type LedgerRange } from './ledgerFilter.js';
import { LEDGER_WALKS, type LedgerLineRow, type Position, WALK_LENGTHS } from './ledgerWalks.js';
import { awaitPostings } from './lockWallet.js';
import type { LedgerTxType } from './ledgerRules.js';

/** One line of the owner's ledger. */
export interface LedgerLine {
  /** `<account number>:<version>`: unique for the owner, and never reused. */
  readonly id: string;
  readonly account: LedgerAccountName;
  readonly type: LedgerTxType;
  readonly deltaMicros: bigint;
  readonly balanceAfterMicros: bigint;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** `null` if this build does not know the kind of posting. */
  readonly cause: LedgerCause | null;
  readonly txId: string;
  readonly createdAt: Date;
  /** The same time as PostgreSQL formats it, with the microseconds that a Date loses. */
  readonly createdAtText: string;
  /** The position of this line, for fetching the next page. */
  readonly cursor: string;
}

const BEFORE_EVERYTHING: Position = {
  beforeTime: 'infinity',
  beforeTx: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  beforeAccount: '32767',
};
const CURSOR = /^([0-9: .+-]{19,40})_([0-9a-f-]{36})_(\d{1,5})$/;

/**
 * Returns the owner's entries that match the filter, newest first, at most `first`. Later postings sort before
 * everything already read, and a period that has ended gets no new ones.
 *
 * @throws INVALID_PARAMETER for an invalid cursor; VIDEO_NOT_FOUND, INVALID_INPUT for the filter
 */
export async function readLedgerLines(
  sql: Sql,
  ownerId: string,
  page: { first: number; after: string | null; filter?: LedgerFilter | null },
): Promise<LedgerLine[]> {
  const start = page.after === null ? BEFORE_EVERYTHING : parseCursor(page.after);
  const range = ledgerRange(page.filter ?? {});
  if (range.accountNos?.length === 0 || range.types?.length === 0) return [];
  if (page.filter?.to) await awaitPostings(sql, ownerId, page.filter.to);
  const walk = await walkFor(sql, ownerId, range);
  const rows = await execute(sql, walk, { ...range, ...start, ownerId, first: page.first });
  return rows.map(ledgerLineOf);
}

/**
 * Picks the walk that finds matches soonest. A video has few entries, and so has an amount; otherwise the shorter list
 * wins.
 */
async function walkFor(sql: Sql, ownerId: string, { accountNos, types, reference, amountMicros }: LedgerRange) {
  if (reference !== null) return LEDGER_WALKS.BY_REFERENCE;
  if (amountMicros !== null) return LEDGER_WALKS.BY_AMOUNT;
  if (accountNos === null) return types === null ? LEDGER_WALKS.ALL : LEDGER_WALKS.BY_TYPE;
  if (types === null) return LEDGER_WALKS.BY_ACCOUNT;
  const [lengths] = await execute(sql, WALK_LENGTHS, { ownerId, accountNos, types });
  return BigInt(lengths!.entries) < BigInt(lengths!.txs) ? LEDGER_WALKS.BY_ACCOUNT : LEDGER_WALKS.BY_TYPE;
}

export function ledgerLineOf(row: LedgerLineRow): LedgerLine {
  const { type, reference, metadata } = row;
  return {
    id: `${row.account_no}:${row.version}`,
    account: ledgerAccountName(row.account_no),
    type,
    deltaMicros: BigInt(row.delta),
    balanceAfterMicros: BigInt(row.balance_after),
    reference,
    metadata,
    cause: causeOf({ type, reference, metadata, idempotencyKey: row.idempotency_key }),
    txId: row.tx_id,
    createdAt: new Date(row.created_at),
    createdAtText: row.created_at,
    cursor: Buffer.from(`${row.created_at}_${row.tx_id}_${row.account_no}`).toString('base64url'),
  };
}

function parseCursor(cursor: string): Position {
  const [match, beforeTime = '', beforeTx = '', beforeAccount = ''] =
    CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (match === undefined || Number.isNaN(Date.parse(beforeTime)) || Number(beforeAccount) > 32767) {
    throw new AppError('INVALID_PARAMETER', 'after: invalid cursor.');
  }
  return { beforeTime, beforeTx, beforeAccount };
}
