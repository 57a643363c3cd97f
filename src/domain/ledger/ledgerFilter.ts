import { AppError } from '../../errors.js';
import { parseVideoId } from '../shared/ids.js';
import { FIRST_COMPANY_ACCOUNT_NO, LEDGER_ACCOUNTS, type LedgerAccountName } from './ledgerAccounts.js';
import type { LedgerTxType } from './ledgerRules.js';

/** Selects entries. An omitted field does not filter; an empty list matches nothing. */
export interface LedgerFilter {
  readonly accounts?: readonly LedgerAccountName[] | null;
  readonly types?: readonly LedgerTxType[] | null;
  /** Inclusive. */
  readonly from?: Date | null;
  /** Exclusive. */
  readonly to?: Date | null;
  /** `vid_…` or the UUID: escrow locks, charges and releases of one video. */
  readonly videoId?: string | null;
  /** Entries that add or take exactly this. */
  readonly amountMicros?: bigint | null;
}

/** A filter as statements take it. */
export interface LedgerRange {
  readonly accountNos: readonly number[] | null;
  readonly types: readonly LedgerTxType[] | null;
  readonly from: string;
  readonly to: string;
  readonly reference: string | null;
  readonly amountMicros: string | null;
}

/** @throws VIDEO_NOT_FOUND for an invalid video id; INVALID_INPUT for a period that ends before it begins. */
export function ledgerRange(filter: LedgerFilter): LedgerRange {
  const { accounts, types, from, to, videoId, amountMicros } = filter;
  if (from && to && from > to) throw new AppError('INVALID_INPUT', 'The period ends before it begins.');
  const reference = videoId == null ? null : parseVideoId(videoId);
  if (videoId != null && reference === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
  const accountNos = accounts?.map((name) => LEDGER_ACCOUNTS[name]);
  return {
    // Drop duplicates: each listed account is walked once.
    accountNos: accountNos ? [...new Set(accountNos)].filter((no) => no < FIRST_COMPANY_ACCOUNT_NO) : null,
    types: types ? [...new Set(types)] : null,
    from: from?.toISOString() ?? '-infinity',
    to: to?.toISOString() ?? 'infinity',
    reference,
    // Entries are found by their amount whatever its sign.
    amountMicros: amountMicros == null ? null : String(amountMicros < 0n ? -amountMicros : amountMicros),
  };
}
