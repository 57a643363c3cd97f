import type { VideoRendition } from '../../../ports/transcoder.js';
import { type NoParams, statement } from '../../../db/sql.js';
import type { SourceProbe } from '../../../ports/transcoder.js';
import { NOW_ONCE } from '../../shared/clock/now.js';
import type { ChunkFacts, ChunkRefusal } from './processingChunk.entity.js';

export interface RunKey {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
  readonly run: number;
}

/** One claim of a chunk: every claim of it has a higher fence. */
export interface ClaimKey extends RunKey {
  readonly chunk: number;
  readonly fence: number;
}

/** Of a stage, as JSON. */
interface OfStage extends RunKey {
  readonly renditions: string;
}

interface OfStages extends RunKey {
  readonly stages: string;
}

export interface ClaimRow {
  readonly chunk: number;
  readonly fence: number;
  readonly first_segment: number;
  readonly end_segment: number;
  readonly is_last: boolean;
  readonly boundaries: number[] | null;
  readonly renditions: VideoRendition[];
  readonly source_key: string;
  readonly source_probe: SourceProbe;
  readonly encryption: boolean;
  readonly made_run: number | null;
  readonly made_fence: number | null;
  readonly made_facts: ChunkFacts | null;
}

export interface ChunksState {
  readonly chunks: number;
  readonly done: number;
  /** Of all of them, 0 to 100. */
  readonly percent: number;
  readonly refusal: ChunkRefusal | null;
}

export interface DueRow {
  readonly account_id: string;
  readonly video_id: string;
  readonly attempt: number;
  readonly run: number;
  readonly chunk: number;
  readonly first_segment: number;
  readonly end_segment: number;
  readonly renditions: VideoRendition[];
  readonly fence: number;
  readonly kept_fence: number | null;
}

/** A chunk is worked on for as long as its run holds the attempt. */
const RUN = 'account_id = :accountId and video_id = :videoId and attempt = :attempt and run = :run';
const RUN_HOLDS = `exists (select from processing where ${RUN} and state = 'running')`;
const CLAIMED = `${RUN} and chunk = :chunk and fence = :fence and state = 'claimed' and ${RUN_HOLDS}`;

/** A worker that has not reported for this long is presumed dead; workers report every few seconds. */
export const SILENT = `interval '20 seconds'`;

/** Whether two rows cover the same segments of the same renditions. */
const SAME_PART = (one: string, other: string): string => `${one}.first_segment = ${other}.first_segment
  and ${one}.end_segment = ${other}.end_segment and ${one}.is_last = ${other}.is_last
  and ${one}.has_boundaries = ${other}.has_boundaries and ${one}.renditions = ${other}.renditions`;

/** The first segments and ends of a stage's chunks, and the renditions of each stage as JSON. Chunks are numbered in the order of the stages. */
export const PLAN = statement<
  RunKey & { firsts: readonly number[]; ends: readonly number[]; stages: string },
  { chunk: number }
>(
  'chunk-plan',
  `
    with held as (
      select account_id, video_id, attempt, run, boundaries is not null as has_boundaries
      from processing where ${RUN} and state = 'running' for no key update)
    insert into processing_chunk
      (account_id, video_id, attempt, run, chunk, first_segment, end_segment, is_last, has_boundaries, renditions)
    select h.account_id, h.video_id, h.attempt, h.run, (s.n - 1) * cardinality(:firsts::integer[]) + c.n - 1,
      c.first, c.end, c.n = cardinality(:firsts::integer[]), h.has_boundaries, s.renditions
    from held h, jsonb_array_elements(:stages::jsonb) with ordinality as s (renditions, n),
      unnest(:firsts::integer[], :ends::integer[]) with ordinality as c (first, "end", n)
    returning chunk`,
);

/**
 * The first that nobody works on, or whose worker is silent; of the stage with these renditions, unless that is null; none of a stage
 * that comes to nothing, one of whose chunks was refused. Those that ask at once get different ones. `made` is what the
 * latest of the attempt's earlier runs finished of it: nobody changes that any more.
 */
export const CLAIM_NEXT = statement<RunKey & { renditions: string | null }, ClaimRow>(
  'chunk-claim-next',
  `
    with next as (
      select chunk, first_segment, end_segment, is_last, has_boundaries, renditions from processing_chunk
      where ${RUN} and (state = 'waiting' or state = 'claimed' and reported_at < service_now() - ${SILENT})
        and (:renditions::jsonb is null or renditions = :renditions) and ${RUN_HOLDS}
        and renditions not in (select renditions from processing_chunk where ${RUN} and state = 'refused')
      order by chunk limit 1 for update of processing_chunk skip locked)
    update processing_chunk c set state = 'claimed', fence = c.fence + 1, percent = 0, reported_at = service_now()
    from next left join lateral (
        select e.run, e.fence, e.facts from processing_chunk e
        where e.account_id = :accountId and e.video_id = :videoId and e.attempt = :attempt and e.run < :run and e.state = 'done'
          and ${SAME_PART('e', 'next')}
        order by e.run desc limit 1) made on true,
      video v, processing p
    where c.account_id = :accountId and c.video_id = :videoId and c.attempt = :attempt and c.run = :run and c.chunk = next.chunk
      and v.account_id = :accountId and v.id = :videoId and v.deleted_at is null
      and p.account_id = :accountId and p.video_id = :videoId and p.attempt = :attempt
    returning c.chunk, c.fence, c.first_segment, c.end_segment, c.is_last, c.renditions, v.source_key, v.source_probe,
      v.encryption, p.boundaries, made.run as made_run, made.fence as made_fence, made.facts as made_facts`,
);

export const REPORT = statement<ClaimKey & { percent: number }, { chunk: number }>(
  'chunk-report',
  `update processing_chunk set percent = :percent, reported_at = service_now() where ${CLAIMED} returning chunk`,
);

export const FINISH = statement<ClaimKey & { facts: string }, { chunk: number }>(
  'chunk-finish',
  `update processing_chunk set state = 'done', percent = 100, facts = :facts where ${CLAIMED} returning chunk`,
);

/** For somebody else to try. */
export const RELEASE = statement<ClaimKey, { chunk: number }>(
  'chunk-release',
  `update processing_chunk set state = 'waiting', percent = 0 where ${CLAIMED} returning chunk`,
);

/** Trying again gives the same: `facts` say why. */
export const REFUSE = statement<ClaimKey & { facts: string }, { chunk: number }>(
  'chunk-refuse',
  `update processing_chunk set state = 'refused', facts = :facts where ${CLAIMED} returning chunk`,
);

export const STATE = statement<OfStage, ChunksState>(
  'chunk-state',
  `
    select count(*)::integer as chunks, (count(*) filter (where state = 'done'))::integer as done,
      coalesce(sum(percent * (end_segment - first_segment)) / sum(end_segment - first_segment), 0)::float8 as percent,
      (array_agg(facts) filter (where state = 'refused'))[1] as refusal
    from processing_chunk where ${RUN} and renditions = :renditions and state <> 'over'`,
);

export const FACTS = statement<OfStage, { fence: number; first_segment: number; facts: ChunkFacts }>(
  'chunk-facts',
  `
    select fence, first_segment, facts from processing_chunk
    where ${RUN} and renditions = :renditions and state = 'done' order by chunk`,
);

/** Discards these stages, given by their renditions. A worker that still works on one of their chunks has lost it. */
export const GIVE_UP = statement<OfStages>(
  'chunk-give-up',
  `
    update processing_chunk set state = 'over', sweep_after = service_now(), kept_fence = 0
    where ${RUN} and renditions in (select jsonb_array_elements(:stages::jsonb)) and state <> 'over'`,
);

/** Discards what earlier runs made of these stages, given by their renditions: it is swept with everything they wrote. */
export const FORGET_EARLIER = statement<OfStages>(
  'chunk-forget-earlier',
  `
    delete from processing_chunk
    where account_id = :accountId and video_id = :videoId and attempt = :attempt and run < :run and state <> 'over'
      and renditions in (select jsonb_array_elements(:stages::jsonb)) and ${RUN_HOLDS}`,
);

const ENDED = `c.state <> 'over' and not exists (
  select from processing p where p.account_id = c.account_id and p.video_id = c.video_id
    and p.attempt = c.attempt and p.run = c.run and p.state = 'running')`;

const RENDITION_PLAYS = `select from rendition r, jsonb_array_elements(c.renditions) as made (rendition)
  where r.account_id = c.account_id and r.video_id = c.video_id and r.quality = made.rendition->>'quality'`;

const PUBLISHED = `exists (
  ${RENDITION_PLAYS} and r.prefix = format('videos/%s/%s/%s-%s/', c.account_id, c.video_id, c.attempt, c.run))`;

/** Whether a later run may still take over chunk `c`: the attempt is open and has no newer result. */
export const ADOPTABLE = `c.state = 'done'
  and exists (
    select from processing p where p.account_id = c.account_id and p.video_id = c.video_id
      and p.attempt = c.attempt and p.state in ('queued', 'running'))
  and not exists (
    select from processing_chunk e where e.account_id = c.account_id and e.video_id = c.video_id
      and e.attempt = c.attempt and e.run > c.run and e.state = 'done' and ${SAME_PART('e', 'c')})
  and not exists (${RENDITION_PLAYS})`;

/**
 * Drops chunks of runs that ended without publishing them, except those that can be taken over. The sweep removes their
 * files with everything else those runs wrote.
 */
export const DROP_ENDED = statement(
  'chunk-drop-ended',
  `delete from processing_chunk c where ${ENDED} and not ${PUBLISHED} and not (${ADOPTABLE})`,
);

/** What plays is not made again, whatever else the run is still at. */
export const CLOSE_PUBLISHED = statement(
  'chunk-close-published',
  `
    update processing_chunk c set state = 'over', sweep_after = service_now(), kept_fence = fence
    where (c.state = 'done' or ${ENDED}) and ${PUBLISHED}`,
);

export const DUE = statement<NoParams, DueRow>(
  'chunk-due',
  `
    select account_id, video_id, attempt, run, chunk, first_segment, end_segment, renditions, fence, kept_fence
    from processing_chunk where sweep_after <= ${NOW_ONCE} order by sweep_after limit 200`,
);

/**
 * A suspended worker may still finish a write when it resumes. So the remains of unsuccessful claims are swept again
 * minutes, an hour and a day later. The row goes after that, or at once if there was only one claim.
 */
export const SWEPT = statement<RunKey & { chunk: number }>(
  'chunk-swept',
  `
    with done as (
      delete from processing_chunk where ${RUN} and chunk = :chunk and state = 'over'
        and (sweeps >= 3 or fence = coalesce(kept_fence, 0) and fence <= 1))
    update processing_chunk set sweeps = sweeps + 1,
      sweep_after = service_now() + (array[interval '10 minutes', interval '1 hour', interval '22 hours'])[sweeps + 1]
    where ${RUN} and chunk = :chunk and state = 'over' and sweeps < 3 and not (fence = coalesce(kept_fence, 0) and fence <= 1)`,
);
