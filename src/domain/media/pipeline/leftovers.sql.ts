import { type NoParams, statement } from '../../../db/sql.js';
import { OPEN_ESCROWS } from '../../ledger/escrow.js';
import { NOW_ONCE } from '../../shared/clock/now.js';
import { LOWEST_ID } from '../../shared/ids.js';
import { deleteKeysOfRun } from '../keys/mediaKey.sql.js';
import { ADOPTABLE } from './chunk.sql.js';

export interface OutputRow extends AttemptRow {
  readonly run: number;
  readonly prefix: string;
}

export type Waiting = Omit<AttemptRow, 'attempt'> & { readonly hopeless: boolean };

export interface AttemptRow {
  readonly account_id: string;
  readonly video_id: string;
  readonly attempt: number;
}

/** Rows of one page; a sweep walks page after page. */
export const BATCH = 200;

/*
 * The queries of the per-minute sweep, across all accounts. Each walks a partial index that holds only what it looks
 * for, which is nearly always nothing.
 */

export interface OpenAttempt extends AttemptRow {
  readonly job_id: string | null;
  readonly queued_at: string;
}

/** Where a walk of `OPEN_ATTEMPTS` continues. */
export interface AfterAttempt {
  readonly afterAccount: string;
  readonly afterVideo: string;
  readonly afterAttempt: number;
}

export const BEFORE_EVERY_ATTEMPT: AfterAttempt = { afterAccount: LOWEST_ID, afterVideo: LOWEST_ID, afterAttempt: 0 };

/** Young ones may belong to a transaction whose job this process cannot see yet; nobody misses them for a minute. */
export const OPEN_ATTEMPTS = statement<AfterAttempt, OpenAttempt>(
  'leftovers-open-attempts',
  `
    select account_id, video_id, attempt, job_id, queued_at from processing
    where state in ('queued', 'running') and queued_at < service_now() - interval '30 seconds'
      and (account_id, video_id, attempt) > (:afterAccount::uuid, :afterVideo::uuid, :afterAttempt::integer)
    order by account_id, video_id, attempt limit ${BATCH}`,
);

/** Resolved attempts resolve their escrow in the same transaction; this finds what a bug or a repair left behind. */
export const ORPHANED_ESCROWS = statement<NoParams, AttemptRow>(
  'leftovers-orphaned-escrows',
  `
    select e.account_id, e.video_id, e.attempt from ${OPEN_ESCROWS} e
    where not exists (
      select from (select service_now() as now offset 0) c
      where e.created_at between c.now - interval '30 seconds' and c.now + interval '5 minutes') and not exists (
      select 1 from processing p where p.account_id = e.account_id and p.video_id = e.video_id
        and p.attempt = e.attempt and p.state in ('queued', 'running'))
    limit ${BATCH}`,
);

/**
 * An upload is hopeless if it was tried repeatedly for an hour. One that waited for hours without a try, because no
 * worker ran, is only late.
 */
export const STUCK_MEASURES = statement<NoParams, Waiting>(
  'leftovers-stuck-measures',
  `
    select account_id, id as video_id,
      measure_runs >= 10 and measuring_since < service_now() - interval '1 hour' as hopeless
    from video
    where status = 'uploaded' and duration_ms is null and source_key is not null and deleted_at is null
      and updated_at < service_now() - interval '1 minute'
    limit ${BATCH}`,
);

/** Measured, then forgotten before it was bought as its owner had chosen. */
export const UNBOUGHT_CHOICES = statement<NoParams, Waiting>(
  'leftovers-unbought-choices',
  `
    select account_id, id as video_id, false as hopeless from video
    where status = 'uploaded' and auto_process and attempt = 0 and duration_ms is not null
      and failure_code is null and deleted_at is null and updated_at < service_now() - interval '1 minute'
    limit ${BATCH}`,
);

/** Whether the attempt's next run may still take over chunks from output `o`. */
export const HOLDS_CHUNKS = `exists (
  select from processing_chunk c where c.account_id = o.account_id and c.video_id = o.video_id
    and c.attempt = o.attempt and c.run = o.run and ${ADOPTABLE})`;

/** Where a walk of what is to be swept continues. */
export interface AfterKey {
  readonly afterTime: string;
  readonly afterKey: string;
}

export const DUE_OUTPUTS = statement<AfterKey, OutputRow & { sweep_after: string }>(
  'leftovers-due-outputs',
  `
    select account_id, video_id, attempt, run, prefix, sweep_after from processing_output o
    where not ${HOLDS_CHUNKS} and sweep_after <= ${NOW_ONCE} and (sweep_after, prefix) > (:afterTime::timestamptz, :afterKey::text)
    order by sweep_after, prefix limit ${BATCH}`,
);

const PLAYS = `exists (
        select from rendition r where r.account_id = :accountId and r.video_id = :videoId and r.prefix = :prefix)`;

/**
 * A suspended worker may still finish a write when it resumes, and die before it learns that it lost its claim. So each
 * prefix is swept again minutes, an hour, just under a day and two days later: deleted data is gone within a day,
 * even if a worker still wrote to it. The prefix's keys go with it, unless some of it plays.
 */
export const OUTPUT_SWEPT = statement<{
  accountId: string;
  videoId: string;
  attempt: number;
  run: number;
  prefix: string;
}>(
  'leftovers-output-swept',
  `
    with keys as (
      ${deleteKeysOfRun(PLAYS)}
    )
    update processing_output set sweeps = sweeps + 1,
      sweep_after = service_now() + (array[
        interval '10 minutes', interval '1 hour', interval '22 hours', interval '25 hours'])[sweeps + 1]
    where account_id = :accountId and video_id = :videoId and attempt = :attempt and run = :run`,
);

/** What of a run's output was published and is not deleted: it stays. A unit that is a folder ends with a slash. */
export const KEPT_UNITS = statement<{ accountId: string; videoId: string; prefix: string }, { key: string }>(
  'leftovers-kept-units',
  `
    select key from stored_object
    where account_id = :accountId and video_id = :videoId and removed_at is null and starts_with(key, :prefix)`,
);

export const DOOMED_OUTPUT = statement<{ accountId: string; videoId: string; attempt: number; run: number }, OutputRow>(
  'leftovers-doomed-output',
  `
    select account_id, video_id, attempt, run, prefix from processing_output o
    where account_id = :accountId and video_id = :videoId and attempt = :attempt and run = :run and doomed_at is not null
      and not ${HOLDS_CHUNKS}`,
);

export const REMOVED_OBJECTS = statement<AfterKey, { account_id: string; key: string; removed_at: string }>(
  'leftovers-removed-objects',
  `
    select account_id, key, removed_at from stored_object
    where removed_at is not null and swept_at is null and (removed_at, key) > (:afterTime::timestamptz, :afterKey::text)
    order by removed_at, key limit ${BATCH}`,
);
