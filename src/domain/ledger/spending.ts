import { execute, type Sql, statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { LEDGER_ACCOUNTS } from './ledgerAccounts.js';
import { awaitPostings } from './lockWallet.js';

export type SpendingUnit = 'day' | 'month';

/** What was spent in one UTC day or month. */
export interface SpendingPeriod {
  /** Its first day, `YYYY-MM-DD`. */
  readonly start: string;
  /** Jobs with their add-ons. */
  readonly processingMicros: bigint;
  readonly storageMicros: bigint;
}

export interface SpendingRange {
  /** `YYYY-MM-DD`; both days are inclusive. */
  readonly from: string;
  readonly to: string;
  readonly by: SpendingUnit;
}

interface Row {
  start: string;
  processing: string;
  storage: string;
}

const MAX_DAYS = 400;
const MS_PER_DAY = 86_400_000;
const { REVENUE_PROCESSING, REVENUE_STORAGE } = LEDGER_ACCOUNTS;

/** Aggregates two ranges of one index (account and time) in the database. */
const SPENDING = statement<{ ownerId: string; from: string; to: string; by: SpendingUnit }, Row>(
  'wallet-spending',
  `
    select date_trunc(:by::text, e.created_at at time zone 'UTC')::date::text as start,
      coalesce(sum(e.delta) filter (where e.account_no = ${REVENUE_PROCESSING}), 0) as processing,
      coalesce(sum(e.delta) filter (where e.account_no = ${REVENUE_STORAGE}), 0) as storage
    from ledger_entry e
    where e.owner_id = :ownerId and e.account_no in (${REVENUE_PROCESSING}, ${REVENUE_STORAGE})
      and e.created_at >= :from::timestamp at time zone 'UTC'
      and e.created_at < (:to::timestamp + interval '1 day') at time zone 'UTC'
    group by 1 order by 1`,
);

/**
 * Returns what an owner spent, by the time of posting, oldest first. Credits in escrow are not spent. Omits periods
 * without spending. A period that has ended never changes.
 *
 * @throws INVALID_INPUT for a range that ends before it begins, or that exceeds 400 days
 */
export async function readSpending(sql: Sql, ownerId: string, range: SpendingRange): Promise<SpendingPeriod[]> {
  const days = (Date.parse(range.to) - Date.parse(range.from)) / MS_PER_DAY + 1;
  if (days < 1) throw new AppError('INVALID_INPUT', 'The period ends before it begins.');
  if (days > MAX_DAYS) throw new AppError('INVALID_INPUT', `At most ${MAX_DAYS} days can be added up at once.`);
  await awaitPostings(sql, ownerId, new Date(Date.parse(range.to) + MS_PER_DAY));
  const rows = await execute(sql, SPENDING, { ownerId, from: range.from, to: range.to, by: range.by });
  return rows.map(({ start, processing, storage }) => ({
    start,
    processingMicros: BigInt(processing),
    storageMicros: BigInt(storage),
  }));
}
