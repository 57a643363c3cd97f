import { type NoParams, execute, statement } from '../../../../db/sql.js';
import { HOLDS_CHUNKS } from '../../../media/pipeline/leftovers.sql.js';
import { removeBelongings } from '../../../media/library/video.service.js';
import type { Orphan, OrphanCollector } from '../../../media/objects/orphan.service.js';
import { GROUP_ROWS } from '../../../media/objects/remeasure.sql.js';
import { measureGroup, walkStore, type WalkedGroup } from '../../../media/objects/storeWalk.js';
import type { Group } from '../../../media/objects/storeUnits.js';
import { found, rowsCheck, type Check, type Finding, type Look } from '../check.js';
import type { Services } from '../services.js';

/** Younger objects may belong to work in progress. */
const ORPHAN_AGE_MS = 3_600_000;
/** The most suspects of a walk that are checked again, one by one. */
const MAX_SUSPECTS = 1000;

/** Compares the object store with the rows. */
export function storeChecks(services: Services): readonly Check[] {
  const walk = new StoreWalk(services);
  return [
    orphans(walk),
    missing(walk, services),
    foreign(walk),
    leftovers(services),
    sweeps(services),
    deletions(services),
  ];
}

interface Walked {
  readonly orphans: OrphanCollector;
  readonly missing: readonly Group[];
  readonly foreign: readonly Finding[];
  /** Set if the walk was cut short. */
  readonly note: string | undefined;
}

const NOW = statement<NoParams, { now_ms: string }>(
  'doctor-now',
  'select extract(epoch from service_now()) * 1000 as now_ms',
);

/** One walk shared by the three checks that need it. After a repair, a new one is needed. */
class StoreWalk {
  private walked: Promise<Walked> | null = null;

  constructor(private readonly services: Services) {}

  take(look: Look): Promise<Walked> {
    this.walked ??= this.walk(look);
    return this.walked;
  }

  forget(): void {
    this.walked = null;
  }

  private async walk({ sql, signal }: Look): Promise<Walked> {
    const { store, orphans } = this.services();
    const [row] = await execute(sql, NOW);
    const collector = orphans.collect(Number(row!.now_ms), ORPHAN_AGE_MS);
    const gone: Group[] = [];
    const odd: Finding[] = [];
    let groups = 0;
    for await (const walked of walkStore({ sql, store }, signal)) {
      groups += 1;
      collector.look(walked);
      if (gone.length < MAX_SUSPECTS && walked.known && !agrees(walked)) gone.push(walked.known.group);
      if (odd.length < MAX_SUSPECTS && walked.there && !walked.there.group.owner) {
        const why = 'This service does not use such a name: it belongs to something else.';
        odd.push({ subject: walked.there.group.key, since: new Date(walked.there.newestMs), why });
      }
    }
    const note = signal.aborted
      ? `Only the first ${groups} uploads and runs were looked at; the night looks at all.`
      : undefined;
    return { orphans: collector, missing: gone, foreign: odd, note };
  }
}

function agrees({ there, known }: WalkedGroup): boolean {
  return [...(known?.units ?? [])].every(([key, sizeBytes]) => there?.units.get(key) === sizeBytes);
}

function orphans(walk: StoreWalk): Check {
  return {
    name: 'orphan-objects',
    title: 'objects in the store that no row, run or upload owns',
    remedy:
      'Deletes what still has no owner and is older than an hour. The nightly run does so after a day, or after an hour if a video was deleted.',
    async find(look) {
      const { orphans: collector, note } = await walk.take(look);
      return found((await collector.list(look.signal)).map(findingOf), note);
    },
    async repair(look) {
      const { orphans: collector } = await walk.take(look);
      const { removed, refused } = await collector.remove(look.signal);
      walk.forget();
      if (refused === 0) return removed;
      throw new Error(
        `${refused} are of videos that this database never had, and were left alone: does the store belong to it?`,
      );
    },
  };
}

function findingOf({ group, newestMs, sizeBytes, hasVideo }: Orphan): Finding {
  const whose = hasVideo ? 'Its video has no record of it' : 'The database has no such video';
  return {
    subject: group.key,
    since: new Date(newestMs),
    why: `${whose}: nobody is charged for its ${sizeBytes} bytes.`,
  };
}

function missing(walk: StoreWalk, services: Services): Check {
  return {
    name: 'missing-objects',
    title: 'rows whose object is missing from the store, or has another size',
    remedy: 'Restore it from a backup, or upload or process the video again. The nightly run stops charging for it.',
    async find(look) {
      const { missing: groups, note } = await walk.take(look);
      const gone: Finding[] = [];
      for (const group of groups) {
        if (look.signal.aborted) break;
        // Measure again: it may have been deleted or published during the walk.
        const there = await measureGroup(services().store, group);
        const accountId = group.owner?.accountId ?? null;
        const rows = await execute(look.sql, GROUP_ROWS, { accountId, group: group.key });
        for (const { key, size_bytes: sizeBytes } of rows) {
          const bytes = there?.units.get(key);
          if (bytes === BigInt(sizeBytes)) continue;
          const why = `${sizeBytes} bytes are recorded, ${bytes ?? 'none'} are there.`;
          gone.push({ subject: key, since: null, why });
        }
      }
      return found(gone, note);
    },
  };
}

function foreign(walk: StoreWalk): Check {
  return {
    name: 'foreign-objects',
    title: 'objects in the store under names that this service does not use',
    remedy: 'Find out what they belong to and remove them by hand: the service never deletes them.',
    async find(look) {
      const { foreign: findings, note } = await walk.take(look);
      return found(findings, note);
    },
  };
}

function leftovers(services: Services): Check {
  return {
    name: 'store-leftovers',
    title: 'half-written or downloaded files that killed processes left behind',
    remedy: 'Removes those of this machine and of the bucket, as the per-minute sweep does.',
    async find() {
      const left: Finding[] = [];
      for await (const { name, touchedAt } of services().store.listLeftovers()) {
        left.push({ subject: name, since: touchedAt, why: 'Nothing has touched it for hours: no worker sweeps here.' });
      }
      return found(left);
    },
    repair: () => services().store.removeLeftovers(),
  };
}

function sweeps(services: Services): Check {
  const check = rowsCheck({
    name: 'sweeps-overdue',
    title: 'files that should have been removed from the store an hour ago',
    remedy: 'Removes them, as the per-minute sweep does.',
    text: `
      select key, removed_at, 'It was removed from its video and is still there: no worker sweeps, or the store refuses.'
      from stored_object where removed_at < service_now() - interval '1 hour' and swept_at is null
      union all
      select prefix, sweep_after, 'What a run wrote is not wanted any more: no worker sweeps, or the store refuses.'
      from processing_output o where sweep_after < service_now() - interval '1 hour' and not ${HOLDS_CHUNKS}`,
  });
  return { ...check, repair: () => services().leftovers.sweepStore() };
}

/** Every byte of a video that is deleted for good must be gone within a day. */
function deletions(services: Services): Check {
  const check = rowsCheck({
    name: 'deletions-late',
    title: 'videos deleted more than a day ago that still have bytes',
    remedy: 'Deletes them again: files, unfinished uploads, keys and captions.',
    text: `
      select format('account %s, video %s', v.account_id, v.id), v.deleted_at,
        'Still there: ' || string_agg(left_over.what, ', ' order by left_over.what) || '.'
      ${LATE_DELETIONS}
      group by v.account_id, v.id, v.deleted_at`,
  });
  return {
    ...check,
    async repair() {
      const { db, leftovers, uploads } = services();
      let mended = 0;
      for (const { account_id: accountId, id } of await execute(db.sql, LATE_VIDEOS)) {
        mended += await db.transaction((tx) => removeBelongings(tx, accountId, id));
      }
      return mended + (await uploads.expireUploads()) + (await leftovers.sweepStore());
    },
  };
}

/** What deleted videos still have. */
const LATE_DELETIONS = `
  from (
    select account_id, video_id, key as what from stored_object
    where swept_at is null and (removed_at is null or removed_at < service_now() - interval '1 day')
    union all
    select account_id, video_id, prefix from processing_output where sweeps = 0
    union all
    select account_id, video_id, 'upload ' || id from upload where finished_at is null
    union all
    select distinct account_id, video_id, 'keys of its segments' from media_key
    union all
    select account_id, video_id, 'captions' from caption
  ) left_over
  join video v on v.account_id = left_over.account_id and v.id = left_over.video_id
  where v.deleted_at < service_now() - interval '1 day' and v.purge_after is null`;

const LATE_VIDEOS = statement<NoParams, { account_id: string; id: string }>(
  'doctor-late-videos',
  `select distinct v.account_id, v.id ${LATE_DELETIONS}`,
);
