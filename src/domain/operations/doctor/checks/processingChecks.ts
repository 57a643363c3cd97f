import { execute } from '../../../../db/sql.js';
import { FAIL_STRANDED, NO_OPEN_ATTEMPT } from '../../../media/library/videoState.sql.js';
import { BATCH, BEFORE_EVERY_ATTEMPT, OPEN_ATTEMPTS, type OpenAttempt } from '../../../media/pipeline/leftovers.sql.js';
import { found, rowsCheck, type Check, type Finding } from '../check.js';
import type { Services } from '../services.js';

/** Videos between purchase and ready. */
export function processingChecks(services: Services): readonly Check[] {
  return [
    attemptsWithoutJob(services),
    videosWithoutAttempt(services),
    WAITING,
    SILENT,
    STUCK_CHUNKS,
    escrows(services),
    workFolders(services),
  ];
}

/** In the order in which the sweep resolves them. */
function attemptsWithoutJob(services: Services): Check {
  return {
    name: 'attempts-without-job',
    title: 'videos being processed whose job is gone from the queue',
    remedy:
      'Ends the attempt. What plays is kept and charged, and all other credits are returned. If nothing plays, the owner can retry.',
    async find({ sql, signal }) {
      const { queue } = services();
      const lost: Finding[] = [];
      let page: OpenAttempt[];
      let after = BEFORE_EVERY_ATTEMPT;
      do {
        page = await execute(sql, OPEN_ATTEMPTS, after);
        const live = await queue.liveProcessVideoJobs(page.flatMap((row) => row.job_id ?? []));
        for (const row of page) {
          after = { afterAccount: row.account_id, afterVideo: row.video_id, afterAttempt: row.attempt };
          if (row.job_id !== null && live.has(row.job_id)) continue;
          const why = row.job_id === null ? 'It never had a job.' : `Its job ${row.job_id} is gone or was given up.`;
          const subject = `account ${row.account_id}, video ${row.video_id}, attempt ${row.attempt}`;
          lost.push({ subject, since: new Date(row.queued_at), why });
        }
      } while (page.length === BATCH && !signal.aborted);
      return found(lost);
    },
    repair: () => services().leftovers.abandonOrphans(),
  };
}

/** Purchases write both in one transaction, so only a bug or a manual change of the database leaves this behind. */
function videosWithoutAttempt(services: Services): Check {
  const check = rowsCheck({
    name: 'videos-without-attempt',
    title: 'videos that are queued or processing, but have no open attempt',
    remedy:
      'Marks them as failed, so that the owner can retry, or as ready if some of it plays. No credits are locked.',
    text: `
      select format('account %s, video %s', v.account_id, v.id), v.updated_at,
        'It is ' || v.status || ', but its attempt ' || v.attempt || ' is over or was never made.'
      from video v where v.status in ('queued', 'processing') and v.deleted_at is null
        and v.updated_at < service_now() - interval '1 minute' and ${NO_OPEN_ATTEMPT}`,
  });
  return { ...check, repair: async () => (await execute(services().db.sql, FAIL_STRANDED)).length };
}

const WAITING = rowsCheck({
  name: 'queue-waiting',
  title: 'bought videos that no worker has taken for an hour',
  remedy: 'Start workers, or add more. Alerts say where a disk is full.',
  text: `
    select format('account %s, video %s, attempt %s', account_id, video_id, attempt), queued_at,
      case when run = 0 then 'No worker has begun it.' else run || ' runs were handed back, ' || faults || ' of them broken.' end
    from processing where state = 'queued' and greatest(queued_at, updated_at) < service_now() - interval '1 hour'`,
});

/**
 * Only chunks of the video's current stage: its own worker takes over any chunk that is silent for more than seconds.
 */
const STUCK_CHUNKS = rowsCheck({
  name: 'chunks-stuck',
  title: 'chunks of videos without progress for ten minutes',
  remedy:
    'Check the worker that has the video: it encodes chunks that no other worker takes. If it is gone, its run ends soon.',
  text: `
    select format('account %s, video %s, attempt %s, run %s, chunk %s', c.account_id, c.video_id, c.attempt, c.run,
        c.chunk), coalesce(c.reported_at, p.updated_at),
      'It is ' || c.state || ', in its claim ' || c.fence || '.'
    from processing_chunk c
    join processing p on p.account_id = c.account_id and p.video_id = c.video_id and p.attempt = c.attempt
      and p.run = c.run and p.state = 'running'
    where c.state = 'claimed' and c.reported_at < service_now() - interval '10 minutes'
      and c.renditions = (
        select f.renditions from processing_chunk f
        where f.account_id = c.account_id and f.video_id = c.video_id and f.attempt = c.attempt and f.run = c.run
          and f.state not in ('done', 'over')
        order by f.chunk limit 1)`,
});

const SILENT = rowsCheck({
  name: 'runs-silent',
  title: 'runs that have reported nothing for an hour',
  remedy: 'Check the worker that has it. If that worker is gone, the queue reassigns the job automatically.',
  text: `
    select format('account %s, video %s, attempt %s, run %s', account_id, video_id, attempt, run), updated_at,
      'Its last step was ' || coalesce(step, 'none') || ', at ' || percent::integer || ' %.'
    from processing where state = 'running' and updated_at < service_now() - interval '1 hour'`,
});

function escrows(services: Services): Check {
  const check = rowsCheck({
    name: 'escrows',
    title: 'credits in escrow that no attempt will ever settle',
    remedy:
      'Charges what plays and returns the rest to its bucket, as the per-minute sweep does. See the wallet’s ledger.',
    text: `
      select format('account %s, video %s, attempt %s', e.account_id, e.video_id, e.attempt), e.created_at,
        e.locked_micros || ' micro-credits are locked; the attempt is ' || coalesce(max(p.state), 'not there') || '.'
      from escrow e left join processing p
        on p.account_id = e.account_id and p.video_id = e.video_id and p.attempt = e.attempt
      where e.status = 'locked' and e.created_at < service_now() - interval '1 minute'
        and coalesce(p.state, '') not in ('queued', 'running')
      group by e.account_id, e.video_id, e.attempt`,
  });
  return { ...check, repair: () => services().leftovers.abandonOrphans() };
}

function workFolders(services: Services): Check {
  return {
    name: 'work-folders',
    title: 'work folders on this machine that no run uses',
    remedy: 'Removes them.',
    async find() {
      const left: Finding[] = [];
      const { workFolders: folders, attempts } = services();
      for (const run of await folders.list()) {
        if (await attempts.isHeld(run)) continue;
        left.push({
          subject: `video ${run.videoId}, attempt ${run.attempt}, run ${run.run}`,
          since: await folders.touchedAt(run),
          why: 'Its run is over, but its worker was killed before it could clean up.',
        });
      }
      return found(left);
    },
    async repair() {
      let removed = 0;
      const { workFolders: folders, attempts } = services();
      for (const run of await folders.list()) {
        if (await attempts.isHeld(run)) continue;
        await folders.remove(run);
        removed += 1;
      }
      return removed;
    },
  };
}
