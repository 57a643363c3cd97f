import { type Database, execute, type Sql, statement } from '../../../db/sql.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { ifStoreIsNotHeld } from '../../shared/processLock.js';
import { IN_GROUP, PLAYS_FROM } from './remeasure.sql.js';
import { keepsFiles } from './storedObject.sql.js';
import type { Group } from './storeUnits.js';
import { measureGroup, type WalkedGroup } from './storeWalk.js';

/** Longer than any upload or run leaves its output without a row. */
const NIGHTLY_AGE_MS = 24 * 3_600_000;
/** For a deleted video, which gets no more rows: only long enough for its last writers to end. */
const DELETED_AGE_MS = 3_600_000;
/** Per walk; the rest waits for the next one. */
const MAX_CANDIDATES = 10_000;
/** Up to this many objects of unknown videos may come from a bug; more belong to another database. */
const MAX_STRANGERS = 20;

/** Something in the store without an owner: a source, or everything one run wrote. */
export interface Orphan {
  readonly group: Group;
  readonly newestMs: number;
  readonly sizeBytes: bigint;
  /** Whether the database has the video, deleted or not. */
  readonly hasVideo: boolean;
}

interface Facts {
  readonly has_video: boolean;
  readonly is_deleted: boolean;
  readonly owned: boolean;
}

export interface OrphanRemoval {
  readonly removed: number;
  readonly removedBytes: bigint;
  /** Left alone, because they look like the videos of another database. */
  readonly refused: number;
}

/**
 * Whether anything knows the group: a row counts it or waits for its sweep, a run writes it, an upload brings it, or
 * the video itself names it.
 */
const FACTS = statement<{ accountId: string; group: string; videoId: string }, Facts>(
  'orphan-facts',
  `
    select exists (select from video where account_id = :accountId and id = :videoId) as has_video,
      exists (select from video v where v.account_id = :accountId and v.id = :videoId and not ${keepsFiles('v')}) as is_deleted,
      exists (
        select from stored_object where ${IN_GROUP} and (removed_at is null or swept_at is null))
      or exists (
        select from processing_output where account_id = :accountId and video_id = :videoId and prefix = :group
          and (doomed_at is null or sweep_after is not null))
      or exists (
        select from upload where account_id = :accountId and video_id = :videoId and finished_at is null)
      or exists (
        select from video v where v.account_id = :accountId and v.id = :videoId and ${keepsFiles('v')}
          and (v.source_key = :group or v.poster_key = :group or v.pictures_prefix = :group or ${PLAYS_FROM(':group')})) as owned`,
);

/** Finds and removes objects in the store that belong to nothing. */
export class OrphanService {
  constructor(private readonly deps: { readonly db: Database; readonly store: ObjectStore }) {}

  /**
   * Starts collecting a walk's ownerless groups that were last written more than `ageMs` before `nowMs`, or an hour
   * before it for deleted videos.
   */
  collect(nowMs: number, ageMs: number = NIGHTLY_AGE_MS): OrphanCollector {
    const olderThanMs = nowMs - ageMs;
    return new OrphanCollector(this.deps, olderThanMs, Math.max(olderThanMs, nowMs - DELETED_AGE_MS));
  }
}

/** What one walk over the store finds. */
export class OrphanCollector {
  private readonly candidates: Omit<Orphan, 'hasVideo'>[] = [];
  private known = 0;

  constructor(
    private readonly deps: { readonly db: Database; readonly store: ObjectStore },
    private readonly olderThanMs: number,
    /** For deleted videos; not earlier than `olderThanMs`. */
    private readonly deletedOlderThanMs: number,
  ) {}

  look({ there, known }: WalkedGroup): void {
    if (known) this.known += 1;
    else if (
      there?.group.owner &&
      there.newestMs < this.deletedOlderThanMs &&
      this.candidates.length < MAX_CANDIDATES
    ) {
      const sizeBytes = [...there.units.values()].reduce((sum, bytes) => sum + bytes, 0n);
      this.candidates.push({ group: there.group, newestMs: there.newestMs, sizeBytes });
    }
  }

  /** The groups that nothing knows now. */
  async list(signal: AbortSignal): Promise<Orphan[]> {
    const orphans: Orphan[] = [];
    for (const candidate of this.candidates) {
      if (signal.aborted) break;
      const facts = await factsOf(this.deps.db.sql, candidate.group);
      if (this.isOrphan(candidate, facts)) orphans.push({ ...candidate, hasVideo: facts.has_video });
    }
    return orphans;
  }

  /**
   * Removes orphans, unless a backup holds the store, and checks each again right before. None can get an owner in
   * between: the prefix of a run and the key of an upload are never reused.
   *
   * A store with many unknown videos belongs to another database, or this database was restored from an old backup.
   * Those are left alone.
   */
  async remove(signal: AbortSignal): Promise<OrphanRemoval> {
    const orphans = await this.list(signal);
    const strangers = orphans.filter((orphan) => !orphan.hasVideo).length;
    const isForeignStore = strangers > Math.max(MAX_STRANGERS, this.known / 10);
    let [removed, removedBytes] = [0, 0n];
    for (const orphan of orphans) {
      if (signal.aborted) break;
      if (isForeignStore && !orphan.hasVideo) continue;
      if (!(await this.removeOne(orphan))) continue;
      removed += 1;
      removedBytes += orphan.sizeBytes;
    }
    return { removed, removedBytes, refused: isForeignStore ? strangers : 0 };
  }

  private async removeOne({ group }: Orphan): Promise<boolean> {
    const { db, store } = this.deps;
    const there = await measureGroup(store, group);
    if (!there || !this.isOrphan(there, await factsOf(db.sql, group))) return false;
    const removed = await ifStoreIsNotHeld(db, async () => {
      await (group.key.endsWith('/') ? store.deletePrefix(group.key) : store.delete(group.key));
      return true;
    });
    return removed ?? false;
  }

  private isOrphan({ newestMs }: { readonly newestMs: number }, facts: Facts): boolean {
    return !facts.owned && newestMs < (facts.is_deleted ? this.deletedOlderThanMs : this.olderThanMs);
  }
}

/** Alerts staff, once per night, to what was removed and what was not. */
export async function reportOrphans(sql: Sql, night: string, removal: OrphanRemoval): Promise<void> {
  const { removed, removedBytes, refused } = removal;
  if (removed > 0) {
    const message = `${removed} uploads or runs (${removedBytes} bytes) were removed from the store. They had no row for a day, or for an hour after their video was deleted.`;
    await raiseAlert(sql, { kind: 'storage.orphans', subject: night, message });
  }
  if (refused > 0) {
    const message =
      `${refused} uploads or runs in the store belong to videos that this database never had. They were not removed. ` +
      'Check whether the store belongs to this database, and whether the database is a backup from before them.';
    await raiseAlert(sql, { kind: 'storage.foreign', subject: 'store', message });
  }
}

async function factsOf(sql: Sql, { key, owner }: Group): Promise<Facts> {
  if (!owner) throw new Error(`${key} is nobody's to look up`);
  const [facts] = await execute(sql, FACTS, { accountId: owner.accountId, group: key, videoId: owner.videoId });
  return facts!;
}
