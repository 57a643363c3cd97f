import type { Quality } from '../../../ports/sourceProbe.js';
import { type NoParams, statement } from '../../../db/sql.js';
import { isSuspended } from '../../accounts/account.sql.js';
import { isTestAccount } from '../../accounts/testMode/testAccount.sql.js';
import { readyAfterSecondsOf } from '../../accounts/testMode/testFaults.js';
import { drawsFromMaster } from '../../ledger/automaticAllocation.js';
import { balanceOf } from '../../ledger/ledgerAccounts.js';
import { notifyVideo, notifyWallet } from '../../shared/liveNotice.js';

export interface ChoiceRow {
  readonly status: string;
  readonly quality: Quality | null;
  readonly branding: boolean;
  readonly encryption: boolean;
  readonly normalize_loudness: boolean;
  readonly auto_process: boolean;
  readonly attempt: number;
  readonly brand_version: number | null;
}

export interface QuoteRow {
  readonly video_id: string;
  readonly quality: Quality;
  readonly branding: boolean;
  readonly encryption: boolean;
  readonly normalize_loudness: boolean;
  readonly duration_ms: string;
  readonly total_micros: string;
  readonly expired: boolean;
  readonly suspended: boolean;
  readonly is_test: boolean;
  /** Of a test video that is to be ready later; otherwise `null`. */
  readonly ready_after_seconds: number | null;
}

/** Locks the quote: the same quote sent twice at once is answered one after the other. */
export const LOCK_QUOTE = statement<{ accountId: string; quoteId: string }, QuoteRow>(
  'purchase-lock-quote',
  `
    select q.video_id, q.quality, q.branding, q.encryption, q.normalize_loudness, q.duration_ms, q.total_micros,
      q.expires_at <= service_now() as expired,
      ${isSuspended(':accountId')} as suspended,
      ${isTestAccount('q.account_id')} as is_test,
      ${readyAfterSecondsOf('q.account_id', 'q.video_id')} as ready_after_seconds
    from quote q where q.account_id = :accountId and q.id = :quoteId for update`,
);

export const FIND_PURCHASE = statement<
  { accountId: string; quoteId: string },
  { attempt: number; is_cancelled: boolean }
>(
  'purchase-find',
  `select attempt, state = 'cancelled' as is_cancelled from processing where account_id = :accountId and quote_id = :quoteId`,
);

/** A row if the last purchase of the video, whose row is locked, was cancelled. */
export const IS_CANCELLED = statement<{ accountId: string; videoId: string }>(
  'purchase-is-cancelled',
  `
    select from processing p join video v on v.account_id = p.account_id and v.id = p.video_id and v.attempt = p.attempt
    where p.account_id = :accountId and p.video_id = :videoId and p.state = 'cancelled'`,
);

export const VIDEO_STATUS = statement<{ accountId: string; videoId: string }, { status: string; attempt: number }>(
  'purchase-video-status',
  'select status, attempt from video where account_id = :accountId and id = :videoId and deleted_at is null',
);

export const INSERT_ATTEMPT = statement<{
  accountId: string;
  videoId: string;
  attempt: number;
  quoteId: string;
  quality: string;
  price: string;
  jobId: string;
  brandVersion: number | null;
}>(
  'purchase-insert-attempt',
  `
    with attempt as (
      insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, job_id, brand_version,
        queued_at, updated_at)
      values (:accountId, :videoId, :attempt, :quoteId, :quality, :price, :jobId, :brandVersion, service_now(), service_now())
      returning account_id, video_id
    )
    select ${notifyVideo('account_id', 'video_id')}, ${notifyWallet('account_id')} from attempt`,
);

/** The jobs of an account's videos that are queued. */
export const QUEUED_JOBS = statement<{ accountId: string }, { job_id: string | null }>(
  'purchase-queued-jobs',
  `
    select p.job_id from video v
      join processing p on p.account_id = v.account_id and p.video_id = v.id and p.attempt = v.attempt
    where v.account_id = :accountId and v.status = 'queued' and v.deleted_at is null`,
);

/** The choice of the last purchase, for doing it again; the logo it was bought with included. */
export const LAST_CHOICE = statement<{ accountId: string; videoId: string }, ChoiceRow>(
  'purchase-last-choice',
  `
    select v.status, v.quality, v.branding, v.encryption, v.normalize_loudness, v.auto_process, v.attempt, (
      select p.brand_version from processing p
      where p.account_id = v.account_id and p.video_id = v.id and p.attempt = v.attempt) as brand_version
    from video v where v.account_id = :accountId and v.id = :videoId and v.deleted_at is null`,
);

/** How many waiting videos one pass buys. The next pass buys more. */
const WAITING_PER_PASS = 100;

/**
 * Videos whose chosen processing was refused for lack of credits or for debt, and that the wallet can pay for now. It
 * must be able to pay for all older ones, too, so a cheap video never spends what an older one waits for. The balances decide, not
 * when something was paid, so no payment is missed that arrives during a refusal. A video that is too expensive is not
 * listed, and so is not tried again and again.
 */
export const FIND_WAITING = statement<NoParams, { account_id: string; id: string }>(
  'purchase-find-waiting',
  `
    select account_id, id from (
      select v.account_id, v.id, v.created_at,
        sum(q.total_micros) over (partition by v.account_id order by v.created_at, v.id) as price_with_older
      from video v
        cross join lateral (
          select total_micros from quote q where q.account_id = v.account_id and q.video_id = v.id
          order by created_at desc limit 1
        ) q
      where v.status = 'uploaded' and v.auto_process and v.attempt = 0 and v.deleted_at is null
        and v.failure_code in ('INSUFFICIENT_CREDITS', 'DEBT_OUTSTANDING') and not ${isSuspended('v.account_id')}
    ) w
    where ${balanceOf('w.account_id', 'DEBT')} = 0
      and price_with_older <= ${balanceOf('w.account_id', 'CREATIVE')}
        + case when ${drawsFromMaster('w.account_id', 'CREATIVE')} then ${balanceOf('w.account_id', 'MASTER')} else 0 end
    order by created_at, id limit ${WAITING_PER_PASS}`,
);
