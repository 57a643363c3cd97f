import type { VideoRendition } from '../../../ports/transcoder.js';
import { type NoParams, type Statement, statement } from '../../../db/sql.js';

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

/*
 * `$1 account, $2 video, $3 attempt, $4 run` throughout: a chunk is worked on for as long as its run holds the attempt.
 * `$5 chunk, $6 fence` is one claim of it.
 */
const RUN = 'account_id = $1 and video_id = $2 and attempt = $3 and run = $4';
const RUN_HOLDS = `exists (select from processing where ${RUN} and state = 'running')`;
const CLAIMED = `${RUN} and chunk = $5 and fence = $6 and state = 'claimed' and ${RUN_HOLDS}`;

/** A worker that reports nothing for so long is taken for dead; they report every few seconds. */
export const SILENT = `interval '20 seconds'`;

/** Whether two rows stand for the same segments of the same renditions. */
const SAME_PART = (one: string, other: string): string => `${one}.first_segment = ${other}.first_segment
  and ${one}.end_segment = ${other}.end_segment and ${one}.is_last = ${other}.is_last
  and ${one}.has_boundaries = ${other}.has_boundaries and ${one}.renditions = ${other}.renditions`;

/** `$5`–`$6` first segments and ends, `$7` the renditions of each stage. Chunks are numbered in the order of the stages. */
export const PLAN: Statement = {
  name: 'chunk-plan',
  text: `
    with held as (
      select account_id, video_id, attempt, run, boundaries is not null as has_boundaries
      from processing where ${RUN} and state = 'running' for no key update)
    insert into processing_chunk
      (account_id, video_id, attempt, run, chunk, first_segment, end_segment, is_last, has_boundaries, renditions)
    select h.account_id, h.video_id, h.attempt, h.run, (s.n - 1) * cardinality($5::integer[]) + c.n - 1,
      c.first, c.end, c.n = cardinality($5::integer[]), h.has_boundaries, s.renditions
    from held h, jsonb_array_elements($7::jsonb) with ordinality as s (renditions, n),
      unnest($5::integer[], $6::integer[]) with ordinality as c (first, "end", n)
    returning chunk`,
};

/**
 * The first that nobody works on, or whose worker is silent; of the renditions `$5`, unless that is null; none of a stage
 * that comes to nothing, one of whose chunks was refused. Those that ask at once get different ones. `made` is what the
 * latest of the attempt's earlier runs finished of it: nobody changes that any more.
 */
export const CLAIM_NEXT: Statement = {
  name: 'chunk-claim-next',
  text: `
    with next as (
      select chunk, first_segment, end_segment, is_last, has_boundaries, renditions from processing_chunk
      where ${RUN} and (state = 'waiting' or state = 'claimed' and reported_at < service_now() - ${SILENT})
        and ($5::jsonb is null or renditions = $5) and ${RUN_HOLDS}
        and renditions not in (select renditions from processing_chunk where ${RUN} and state = 'refused')
      order by chunk limit 1 for update of processing_chunk skip locked)
    update processing_chunk c set state = 'claimed', fence = c.fence + 1, percent = 0, reported_at = service_now()
    from next left join lateral (
        select e.run, e.fence, e.facts from processing_chunk e
        where e.account_id = $1 and e.video_id = $2 and e.attempt = $3 and e.run < $4 and e.state = 'done'
          and ${SAME_PART('e', 'next')}
        order by e.run desc limit 1) made on true,
      video v, processing p
    where c.account_id = $1 and c.video_id = $2 and c.attempt = $3 and c.run = $4 and c.chunk = next.chunk
      and v.account_id = $1 and v.id = $2 and v.deleted_at is null
      and p.account_id = $1 and p.video_id = $2 and p.attempt = $3
    returning c.chunk, c.fence, c.first_segment, c.end_segment, c.is_last, c.renditions, v.source_key, v.source_probe,
      v.encryption, p.boundaries, made.run as made_run, made.fence as made_fence, made.facts as made_facts`,
};

export const REPORT: Statement = {
  name: 'chunk-report',
  text: `update processing_chunk set percent = $7, reported_at = service_now() where ${CLAIMED} returning chunk`,
};

export const FINISH: Statement = {
  name: 'chunk-finish',
  text: `update processing_chunk set state = 'done', percent = 100, facts = $7 where ${CLAIMED} returning chunk`,
};

/** For somebody else to try. */
export const RELEASE: Statement = {
  name: 'chunk-release',
  text: `update processing_chunk set state = 'waiting', percent = 0 where ${CLAIMED} returning chunk`,
};

/** Trying again gives the same: `$7` says why. */
export const REFUSE: Statement = {
  name: 'chunk-refuse',
  text: `update processing_chunk set state = 'refused', facts = $7 where ${CLAIMED} returning chunk`,
};

/** Of the stage with the renditions `$5`. */
export const STATE: Statement = {
  name: 'chunk-state',
  text: `
    select count(*)::integer as chunks, (count(*) filter (where state = 'done'))::integer as done,
      coalesce(sum(percent * (end_segment - first_segment)) / sum(end_segment - first_segment), 0)::float8 as percent,
      (array_agg(facts) filter (where state = 'refused'))[1] as refusal
    from processing_chunk where ${RUN} and renditions = $5 and state <> 'over'`,
};

/** Of the stage with the renditions `$5`. */
export const FACTS: Statement = {
  name: 'chunk-facts',
  text: `
    select fence, first_segment, facts from processing_chunk
    where ${RUN} and renditions = $5 and state = 'done' order by chunk`,
};

/** Nothing of the stages with the renditions `$5` is kept. Nobody works on them any more, whoever believes so. */
export const GIVE_UP: Statement = {
  name: 'chunk-give-up',
  text: `
    update processing_chunk set state = 'over', sweep_after = service_now(), kept_fence = 0
    where ${RUN} and renditions in (select jsonb_array_elements($5::jsonb)) and state <> 'over'`,
};

/** What earlier runs made of the stages with the renditions `$5` is not taken over. It is swept with all they wrote. */
export const FORGET_EARLIER: Statement = {
  name: 'chunk-forget-earlier',
  text: `
    delete from processing_chunk
    where account_id = $1 and video_id = $2 and attempt = $3 and run < $4 and state <> 'over'
      and renditions in (select jsonb_array_elements($5::jsonb)) and ${RUN_HOLDS}`,
};

const ENDED = `c.state <> 'over' and not exists (
  select from processing p where p.account_id = c.account_id and p.video_id = c.video_id
    and p.attempt = c.attempt and p.run = c.run and p.state = 'running')`;

const RENDITION_PLAYS = `select from rendition r, jsonb_array_elements(c.renditions) as made (rendition)
  where r.account_id = c.account_id and r.video_id = c.video_id and r.quality = made.rendition->>'quality'`;

const PUBLISHED = `exists (
  ${RENDITION_PLAYS} and r.prefix = format('videos/%s/%s/%s-%s/', c.account_id, c.video_id, c.attempt, c.run))`;

/** Whether a later run may still take over what chunk `c` is: as long as the attempt is open and has nothing newer. */
export const ADOPTABLE = `c.state = 'done'
  and exists (
    select from processing p where p.account_id = c.account_id and p.video_id = c.video_id
      and p.attempt = c.attempt and p.state in ('queued', 'running'))
  and not exists (
    select from processing_chunk e where e.account_id = c.account_id and e.video_id = c.video_id
      and e.attempt = c.attempt and e.run > c.run and e.state = 'done' and ${SAME_PART('e', 'c')})
  and not exists (${RENDITION_PLAYS})`;

/**
 * Of runs that ended in any other way, but for what is taken over. What they did not publish is swept with all they
 * wrote.
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
    from processing_chunk where sweep_after <= service_now() order by sweep_after limit 200`,
);

/**
 * A worker that was frozen may still finish the write it was in when it wakes: so what claims left that came to nothing
 * is looked at again, minutes, an hour and a day later. Then, and at once where there was but the one, the row goes.
 */
export const SWEPT: Statement = {
  name: 'chunk-swept',
  text: `
    with done as (
      delete from processing_chunk where ${RUN} and chunk = $5 and state = 'over'
        and (sweeps >= 3 or fence = coalesce(kept_fence, 0) and fence <= 1))
    update processing_chunk set sweeps = sweeps + 1,
      sweep_after = service_now() + (array[interval '10 minutes', interval '1 hour', interval '22 hours'])[sweeps + 1]
    where ${RUN} and chunk = $5 and state = 'over' and sweeps < 3 and not (fence = coalesce(kept_fence, 0) and fence <= 1)`,
};
