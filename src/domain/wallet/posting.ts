import { createHash } from 'node:crypto';

import type { Sql, Statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { newId } from '../ids.js';
import { formatCredits } from './credits.js';
import { LEDGER_ACCOUNTS, ledgerAccountName, type LedgerAccountName } from './ledgerAccounts.js';

export type LedgerTxType =
  | 'TOPUP'
  | 'ALLOCATION'
  | 'ESCROW_LOCK'
  | 'ESCROW_SETTLE'
  | 'ESCROW_RELEASE'
  | 'STORAGE'
  | 'REFERRAL_BONUS'
  | 'REFUND'
  | 'DISPUTE'
  | 'ADJUSTMENT';

export interface Posting {
  readonly ownerId: string;
  readonly type: LedgerTxType;
  /** A business fact, such as `escrow:lock:<video>:<attempt>`: the same fact is booked once. */
  readonly idempotencyKey: string;
  /** Micro-credits per account; they sum to zero. Zero amounts are left out. */
  readonly deltas: Readonly<Partial<Record<LedgerAccountName, bigint>>>;
  /** What caused it, such as a video's id. */
  readonly reference?: string;
  /** What was asked for, where the deltas follow from the balances: the same intent is the same posting. */
  readonly intent?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface PostedTx {
  readonly txId: string;
  /** True where the same posting had been made before; nothing was booked now. */
  readonly duplicate: boolean;
}

/**
 * One round trip: the tx (once per key), the named accounts locked in one order, their balances, the entries.
 * The CHECK on ledger_account refuses an overdraft and takes the key back with it, so that a retry can succeed.
 */
const POST: Statement = {
  name: 'ledger-post',
  text: `
    with change as (
      select account_no, delta from unnest($4::smallint[], $5::bigint[]) u(account_no, delta)
    ), tx as (
      insert into ledger_tx
        (owner_id, type, idempotency_key, tx_id, request_hash, reference, metadata, created_at)
      values ($1, $2, $3, $6, $7, $8, $9, service_now())
      on conflict (owner_id, idempotency_key) do nothing
      returning tx_id, created_at
    ), locked as materialized (
      select a.account_no from tx, ledger_account a
      where a.owner_id = $1 and a.account_no = any ($4::smallint[])
      order by a.account_no for no key update of a
    ), account as (
      update ledger_account a set balance = a.balance + c.delta, version = a.version + 1
      from locked l join change c using (account_no)
      where a.owner_id = $1 and a.account_no = l.account_no
      returning a.account_no, a.balance, a.version
    )
    insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
    select $1, c.account_no, account.version, tx.tx_id, c.delta, account.balance, tx.created_at
    from change c cross join tx left join account using (account_no)
    returning tx_id`,
};

const FIND_TX: Statement = {
  name: 'ledger-find-tx',
  text: 'select tx_id, request_hash from ledger_tx where owner_id = $1 and idempotency_key = $2',
};

/**
 * Books one double-entry transaction of one owner, exactly once per idempotency key.
 *
 * Inside a transaction, an error aborts that transaction: let it roll back.
 * @throws INSUFFICIENT_CREDITS with the account and what is missing; nothing is booked.
 * @throws IDEMPOTENCY_CONFLICT where the key was used for another posting.
 */
export async function post(sql: Sql, posting: Posting): Promise<PostedTx> {
  const deltas = checkedDeltas(posting);
  const requestHash = hashOf(posting, deltas);
  const txId = newId();
  const rows = await sql
    .query(POST, [
      posting.ownerId,
      posting.type,
      posting.idempotencyKey,
      deltas.map(([accountNo]) => accountNo),
      deltas.map(([, delta]) => delta.toString()),
      txId,
      requestHash,
      posting.reference ?? null,
      JSON.stringify(posting.metadata ?? {}),
    ])
    .catch((error: unknown) => {
      throw insufficientCredits(error) ?? error;
    });
  if (rows.length > 0) return { txId, duplicate: false };

  const [first] = await sql.query<{ tx_id: string; request_hash: Buffer }>(FIND_TX, [
    posting.ownerId,
    posting.idempotencyKey,
  ]);
  if (!first?.request_hash.equals(requestHash)) {
    throw new AppError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used for something else.');
  }
  return { txId: first.tx_id, duplicate: true };
}

function checkedDeltas(posting: Posting): (readonly [number, bigint])[] {
  const deltas = (Object.entries(posting.deltas) as [LedgerAccountName, bigint][])
    .filter(([, delta]) => delta !== 0n)
    .map(([name, delta]) => [LEDGER_ACCOUNTS[name], delta] as const)
    .sort(([a], [b]) => a - b);
  const sum = deltas.reduce((total, [, delta]) => total + delta, 0n);
  if (sum !== 0n || deltas.length < 2) {
    throw new Error(`posting ${posting.idempotencyKey} is not balanced`);
  }
  return deltas;
}

function hashOf(posting: Posting, deltas: readonly (readonly [number, bigint])[]): Buffer {
  const amounts = posting.intent ?? deltas.map(([no, delta]) => [no, delta.toString()]);
  const request = [posting.type, posting.reference ?? null, amounts];
  return createHash('sha256').update(JSON.stringify(request)).digest();
}

/**
 * The refused row stands in the CHECK violation's detail, with the balance it would have had: what is missing, as of
 * the very moment of the refusal. Reading the balance afterwards could show another one.
 */
function insufficientCredits(error: unknown): AppError | null {
  if (!(error instanceof Error) || !('constraint' in error) || error.constraint !== 'no_overdraft') return null;
  const detail = 'detail' in error && typeof error.detail === 'string' ? error.detail : '';
  const row = /\(([^)]*)\)/.exec(detail)?.[1]?.split(', ') ?? [];
  const [, accountNo, balance] = row;
  if (!accountNo || !balance) return new AppError('INSUFFICIENT_CREDITS', 'Not enough credits.', { cause: error });
  const account = ledgerAccountName(Number(accountNo));
  const missing = formatCredits(-BigInt(balance));
  return new AppError('INSUFFICIENT_CREDITS', `Not enough credits in ${account}: ${missing} missing.`, {
    details: { account, missing },
    cause: error,
  });
}
