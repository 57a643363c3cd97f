import { execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { isTestAccount } from './testAccount.sql.js';

const VIDEO_FAULTS = ['ENCODE_FAILS_AT_HALF', 'READY_AFTER_N_SECONDS'] as const;
export const KEY_FAULTS = ['QUOTA_NEARLY_USED', 'TOKENS_EXPIRED', 'TOKENS_LIVE_ON'] as const;
export const WEBHOOK_FAULTS = ['TWICE', 'LATE', 'OUT_OF_ORDER'] as const;
export type VideoFault = (typeof VIDEO_FAULTS)[number];
export type KeyFault = (typeof KEY_FAULTS)[number];
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];
type Fault = VideoFault | KeyFault | WebhookFault;

const MAX_READY_AFTER_SECONDS = 600;

interface WantedFault {
  readonly accountId: string;
  /** Of the video, key or endpoint that is created in the same transaction. */
  readonly subjectId: string;
  /** `null` for none. */
  readonly fault: Fault | null;
  readonly seconds?: number | null;
}

const INSERT = statement<{ accountId: string; subjectId: string; fault: Fault; seconds: number | null }>(
  'test-fault-insert',
  `
    insert into test_fault (account_id, subject_id, fault, seconds)
    select :accountId::uuid, :subjectId::uuid, :fault, :seconds::integer where ${isTestAccount(':accountId::uuid')}
    returning fault`,
);

/** SQL for the fault of something, `null` for most. */
export const testFaultOf = (accountId: string, subjectId: string): string =>
  `(select f.fault from test_fault f where f.account_id = ${accountId} and f.subject_id = ${subjectId})`;

/** SQL for the seconds of READY_AFTER_N_SECONDS; `null` for anything else. */
export const readyAfterSecondsOf = (accountId: string, videoId: string): string =>
  `(select f.seconds from test_fault f where f.account_id = ${accountId} and f.subject_id = ${videoId})`;

/** @throws INVALID_INPUT in live mode, and for seconds that do not fit */
export async function askForFault(
  sql: Sql,
  { accountId, subjectId, fault, seconds = null }: WantedFault,
): Promise<void> {
  const needsSeconds = fault === 'READY_AFTER_N_SECONDS';
  if (needsSeconds !== (seconds !== null) || (seconds !== null && !isAllowed(seconds))) {
    throw new AppError(
      'INVALID_INPUT',
      `READY_AFTER_N_SECONDS needs testFaultSeconds from 1 to ${MAX_READY_AFTER_SECONDS}. No other fault has them.`,
    );
  }
  if (fault === null) return;
  const [asked] = await execute(sql, INSERT, { accountId, subjectId, fault, seconds });
  if (!asked) throw new AppError('INVALID_INPUT', 'Faults are available in test mode only.');
}

function isAllowed(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_READY_AFTER_SECONDS;
}
