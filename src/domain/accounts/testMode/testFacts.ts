import { execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { lockAccount } from '../keys/apiKey.sql.js';
import { isTestAccount } from './testAccount.sql.js';
import { type KeyFault, testFaultOf } from './testFaults.js';

/** The most payments, disputes and their ends of one test account, which its wallet is worked out from. */
const MAX_PAYMENT_FACTS = 5_000;

/** Simulated money: payments that nobody made, their disputes, and nights of storage. */
export type MoneyFact = 'PAYMENT_MADE' | 'PAYMENT_DISPUTED' | 'DISPUTE_WON' | 'DISPUTE_LOST' | 'STORAGE_CHARGED';

export interface MoneyFactRow {
  id: string;
  fact: MoneyFact;
  about_id: string | null;
  amount_micros: string | null;
  created_at: string;
}

interface NewFact {
  readonly accountId: string;
  readonly id: string;
  readonly fact: MoneyFact | 'CLOCK_MOVED';
  readonly seconds?: number;
  readonly aboutId?: string;
  readonly amountMicros?: bigint;
}

const INSERT = statement<
  {
    accountId: string;
    id: string;
    fact: string;
    seconds: number | null;
    aboutId: string | null;
    amountMicros: string | null;
  },
  { id: string }
>(
  'test-fact-insert',
  `
    insert into test_fault (account_id, subject_id, fault, seconds, about_id, amount_micros, created_at)
    select :accountId::uuid, :id::uuid, :fact, :seconds::integer, :aboutId::uuid, :amountMicros::bigint, service_now()
    where :fact in ('CLOCK_MOVED', 'STORAGE_CHARGED') or (
      select count(*) from test_fault f
      where f.account_id = :accountId::uuid and f.created_at is not null
        and f.fault not in ('CLOCK_MOVED', 'STORAGE_CHARGED')
    ) < ${MAX_PAYMENT_FACTS}
    returning subject_id as id`,
);

/** In the order in which they were written, under the lock of the account. Disputes of earlier versions have no payment. */
const MONEY_FACTS = statement<{ accountId: string }, MoneyFactRow>(
  'test-fact-money',
  `
    select subject_id as id, fault as fact, about_id, amount_micros, created_at from test_fault
    where account_id = :accountId and created_at is not null
      and fault in ('PAYMENT_MADE', 'PAYMENT_DISPUTED', 'DISPUTE_WON', 'DISPUTE_LOST', 'STORAGE_CHARGED')
    order by created_at, subject_id`,
);

/** SQL for the seconds by which the clock of a test account was moved: in all, or after `since`. */
export const movedSecondsOf = (accountId: string, since?: string): string => `(
  select coalesce(sum(f.seconds + coalesce(f.folded_seconds, 0)), 0)::float8 from test_fault f
  where f.account_id = ${accountId} and f.fault = 'CLOCK_MOVED'
    ${since === undefined ? '' : `and f.created_at > ${since}`})`;

/** SQL for the test accounts whose clocks were moved after a moment. */
export const movedAfter = (moment: string): string =>
  `(select distinct account_id from test_fault where fault = 'CLOCK_MOVED' and created_at > ${moment})`;

/** Also of a live account, whose clock is the service's. */
export const CLOCK = statement<{ accountId: string }, { is_test: boolean; moved_seconds: number; now_epoch: number }>(
  'test-clock',
  `
    select ${isTestAccount(':accountId::uuid')} as is_test, ${movedSecondsOf(':accountId::uuid')} as moved_seconds,
      extract(epoch from service_now())::float8 as now_epoch`,
);

const KEY_TIME = statement<
  { accountId: string; keyId: string | null },
  { is_test: boolean; fault: KeyFault | null; moved_seconds: number }
>(
  'test-key-time',
  `
    select ${isTestAccount(':accountId::uuid')} as is_test, ${testFaultOf(':accountId::uuid', ':keyId::uuid')} as fault,
      ${movedSecondsOf(':accountId::uuid')} as moved_seconds`,
);

/**
 * Locks a test account, so that what is simulated in it happens one after the other.
 *
 * @throws INVALID_INPUT for a live account
 */
export async function lockTestAccount(sql: Sql, accountId: string): Promise<void> {
  const [account] = await execute(sql, lockAccount, { accountId });
  if (!account?.is_test) throw testModeOnly();
}

/**
 * Writes a fact of a test account that the transaction has locked.
 *
 * @throws LIMIT_REACHED for payments, disputes and their ends
 */
export async function addFact(
  sql: Sql,
  { accountId, id, fact, seconds, aboutId, amountMicros }: NewFact,
): Promise<void> {
  const [added] = await execute(sql, INSERT, {
    accountId,
    id,
    fact,
    seconds: seconds ?? null,
    aboutId: aboutId ?? null,
    amountMicros: amountMicros?.toString() ?? null,
  });
  if (!added) {
    throw new AppError(
      'LIMIT_REACHED',
      `A test account has at most ${MAX_PAYMENT_FACTS} payments, disputes and ends of disputes.`,
    );
  }
}

/** Once there are many, sums up facts that need not be told apart any more. The transaction has locked the account. */
export const FOLD_FACTS = statement<{ accountId: string }>(
  'test-fact-fold',
  'select fold_test_facts(:accountId::uuid)',
);

export function moneyFacts(sql: Sql, accountId: string): Promise<MoneyFactRow[]> {
  return execute(sql, MONEY_FACTS, { accountId });
}

/** The clock of a test account, which its owner moves. */
export interface TestClock {
  /** How far it is ahead of the service's clock. */
  readonly movedSeconds: number;
  readonly now: Date;
}

/** @throws INVALID_INPUT for a live account */
export async function testClockOf(sql: Sql, accountId: string): Promise<TestClock> {
  const [row] = await execute(sql, CLOCK, { accountId });
  if (!row?.is_test) throw testModeOnly();
  return { movedSeconds: row.moved_seconds, now: new Date((row.now_epoch + row.moved_seconds) * 1_000) };
}

/**
 * The fault of a test key, and how far the clock of its account was moved. `null` for a live account.
 *
 * @param keyId `null` for the account's own preview
 */
export async function findKeyTime(
  sql: Sql,
  accountId: string,
  keyId: string | null,
): Promise<{ fault: KeyFault | null; movedSeconds: number } | null> {
  const [row] = await execute(sql, KEY_TIME, { accountId, keyId });
  return row?.is_test ? { fault: row.fault, movedSeconds: row.moved_seconds } : null;
}

/** For what only a test account has. */
function testModeOnly(): AppError {
  return new AppError('INVALID_INPUT', 'This exists in test mode only.');
}
