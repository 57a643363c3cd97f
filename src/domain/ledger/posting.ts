import { createHash } from 'node:crypto';

import { execute, type Sql, statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { newId } from '../shared/ids.js';
import { formatCredits } from './credits.js';
import { LEDGER_ACCOUNTS, ledgerAccountName, type LedgerAccountName } from './ledgerAccounts.js';
import type { LedgerTxType } from './ledgerRules.js';
import { observed } from './postingObserver.js';

export interface Posting {
  readonly ownerId: string;
  readonly type: LedgerTxType;
  /** A business fact, such as `escrow:lock:<video>:<attempt>`. Each fact is posted once. */
  readonly idempotencyKey: string;
  /** Micro-credits per account. They sum to zero; zero amounts are dropped. */
  readonly deltas: Readonly<Partial<Record<LedgerAccountName, bigint>>>;
  /** What caused it, such as a video's id. */
  readonly reference?: string;
  /** The request, if the deltas depend on the balances: the same intent is the same posting. */
  readonly intent?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface PostedTx {
  readonly txId: string;
  /** True if this posting had already been made; nothing was posted now. */
  readonly duplicate: boolean;
}

/**
 * One round trip to the only function that may post (ledgerFunctions.ts). It refuses what fits no shape of
 * ledgerRules.ts, and returns the first tx if the key was used before. The CHECK on ledger_account refuses an overdraft
 * and rolls back the key too, so that a retry can succeed.
 */
const POST = statement<
  {
    ownerId: string;
    type: string;
    idempotencyKey: string;
    txId: string;
    requestHash: Buffer;
    reference: string | null;
    metadata: string;
    accountNos: readonly number[];
    deltas: readonly string[];
  },
  PostedRow
>(
  'ledger-post',
  `
    select tx_id, request_hash, is_new
    from ledger_post(:ownerId, :type, :idempotencyKey, :txId, :requestHash, :reference, :metadata, :accountNos::smallint[], :deltas::bigint[])`,
);

interface PostedRow {
  tx_id: string;
  request_hash: Buffer;
  is_new: boolean;
}

/**
 * Posts one double-entry transaction of one owner, exactly once per idempotency key.
 *
 * Inside a transaction, an error aborts that transaction: let it roll back.
 * @throws INSUFFICIENT_CREDITS with the account and what is missing; nothing is posted
 * @throws INVALID_INPUT if an account would exceed a bigint
 * @throws IDEMPOTENCY_CONFLICT if the key was used for another posting
 */
export function post(sql: Sql, posting: Posting): Promise<PostedTx> {
  return observed(posting.type, () => book(sql, posting));
}

async function book(sql: Sql, posting: Posting): Promise<PostedTx> {
  const deltas = checkedDeltas(posting);
  const requestHash = hashOf(posting, deltas);
  const [booked] = await execute(sql, POST, {
    ownerId: posting.ownerId,
    type: posting.type,
    idempotencyKey: posting.idempotencyKey,
    txId: newId(),
    requestHash,
    reference: posting.reference ?? null,
    metadata: JSON.stringify(posting.metadata ?? {}),
    accountNos: deltas.map(([accountNo]) => accountNo),
    deltas: deltas.map(([, delta]) => delta.toString()),
  }).catch((error: unknown) => {
    throw insufficientCredits(error) ?? tooManyCredits(error) ?? error;
  });
  if (!booked?.request_hash.equals(requestHash)) {
    throw new AppError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used for something else.');
  }
  return { txId: booked.tx_id, duplicate: !booked.is_new };
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

/** The same for each row of a query that decides, locks and books in one statement: each field is an SQL expression over it. */
export interface PostingRows {
  readonly type: LedgerTxType;
  readonly ownerId: string;
  readonly idempotencyKey: string;
  /** Micro-credits per account: a bigint or a numeric without decimals. Zero amounts are left out. */
  readonly deltas: Readonly<Partial<Record<LedgerAccountName, string>>>;
  readonly reference: string;
  readonly intent: string;
  /** As jsonb. */
  readonly metadata: string;
  /** When the ids of the transactions say they were made, as a timestamptz. */
  readonly now: string;
}

/**
 * A select over the rows of `source`, at most one per owner, that books a posting for each in one call, and returns how
 * many entries were written as `postings`; no row where `source` is empty. A key that was booked before is refused, and
 * all with it.
 *
 * The trigger that tells low balances leaves out STORAGE and its draws, so that a night tells all owners in one call. A
 * statement that charges STORAGE also selects `tellLowBalancesOf`, and one that reverses it `noteRisenBalancesOf`.
 *
 * The books hold one kind of row: what is written for a row is what `post` writes for the same posting.
 *
 * @param source what follows `from`
 */
export function postMany(source: string, rows: PostingRows): string {
  const deltas = (Object.entries(rows.deltas) as [LedgerAccountName, string][])
    .map(([name, delta]) => [LEDGER_ACCOUNTS[name], delta] as const)
    .sort(([a], [b]) => a - b);
  const request = `'["${rows.type}",' || to_json((${rows.reference})::text) || ',' || to_json((${rows.intent})::text) || ']'`;
  return `
    select ledger_post_many('${rows.type}', array_agg(${rows.ownerId}), array_agg((${rows.idempotencyKey})::text),
      array_agg(${uuidV7(rows.now)}), array_agg(sha256(convert_to(${request}, 'UTF8'))),
      array_agg((${rows.reference})::text), array_agg(${rows.metadata}),
      '{${deltas.map(([accountNo]) => accountNo).join(',')}}',
      array_agg(array[${deltas.map(([, delta]) => delta).join(', ')}]::bigint[])) as postings
    from ${source} having count(*) > 0`;
}

/** As `newId` makes them, for rows that no round trip brings: a random UUID with the time in its first 48 bits. */
function uuidV7(time: string): string {
  const millis = `substring(int8send((extract(epoch from ${time}) * 1000)::bigint) from 3)`;
  return `encode(set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid()) placing ${millis} from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`;
}

/**
 * The CHECK violation's detail contains the refused row with the balance it would have had, and so what was missing at
 * the moment of the refusal. Reading the balance afterwards could show a different one.
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

/** PostgreSQL's error code for a number that does not fit a bigint. Nothing wraps around. */
const OUT_OF_RANGE = '22003';

function tooManyCredits(error: unknown): AppError | null {
  if (!(error instanceof Error) || !('code' in error) || error.code !== OUT_OF_RANGE) return null;
  return new AppError('INVALID_INPUT', 'That is more credits than an account can hold.', { cause: error });
}
