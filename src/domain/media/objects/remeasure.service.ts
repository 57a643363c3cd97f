import { type Database, execute, type Sql } from '../../../db/sql.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { reportOrphans, type OrphanService } from './orphan.service.js';
import * as statements from './remeasure.sql.js';
import type { Group } from './storeUnits.js';
import { isEmptyStore, measureGroup, walkStore, type WalkedGroup } from './storeWalk.js';

const MS_PER_HOUR = 3_600_000;

/** The charged nights, each of which is followed by one measurement. */
export interface MeasuredNights {
  /** One process at a time gets the last night, if it is not measured yet; null for all others. */
  claimMeasurement(): Promise<{ readonly day: string; readonly nowMs: number } | null>;
  /** @param isDone false if the measurement has to be made again */
  endMeasurement(day: string, isDone: boolean): Promise<void>;
}

/**
 * Measures the object store once a night by comparing its listing with the rows that storage is charged from.
 *
 * Walks both in key order, so neither is held in memory as a whole. Checks apparent differences again while the video
 * is locked, corrects real ones from that moment on, and alerts staff. Never rewrites past rows, because past days were
 * charged from them. Also removes what no row has known for a day.
 */
export class RemeasureService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly store: ObjectStore;
      readonly orphans: OrphanService;
      readonly nights: MeasuredNights;
    },
  ) {}

  /**
   * Measures once per night, after the night's charge. @returns the number of differences; 0 if no measurement is due
   */
  async runDue(signal: AbortSignal): Promise<number> {
    const { nights } = this.deps;
    const night = await nights.claimMeasurement();
    if (!night) return 0;
    let isDone = false;
    try {
      const found = await this.measureStore(night.day, night.nowMs, signal);
      isDone = !signal.aborted;
      return found;
    } finally {
      await nights.endMeasurement(night.day, isDone);
    }
  }

  private async measureStore(night: string, nowMs: number, signal: AbortSignal): Promise<number> {
    const { db, store } = this.deps;
    const rows = await execute(db.sql, statements.ANY_LIVE_ROW);
    if (rows.length > 0 && (await isEmptyStore(store))) {
      // An unmounted store looks like this; nothing was deleted.
      await raiseAlert(db.sql, {
        kind: 'storage.mismatch',
        subject: 'store',
        message: 'The database records objects, but the object store is empty. Nothing was corrected.',
      });
      return 1;
    }
    let found = 0;
    const strays = this.deps.orphans.collect(nowMs);
    for await (const walked of walkStore({ sql: db.sql, store }, signal)) {
      strays.look(walked);
      const suspect = suspectOf(walked, nowMs);
      if (suspect) found += await this.settle(suspect);
    }
    if (signal.aborted) return found;
    const removal = await strays.remove(signal);
    await reportOrphans(db.sql, night, removal);
    return found + removal.removed + removal.refused;
  }

  /** Checks again while nobody can publish or delete the video, and corrects. @returns 1 if something was wrong */
  private async settle(group: Group): Promise<number> {
    const { db, store } = this.deps;
    const { owner } = group;
    if (!owner) return this.reportStray(group);
    return db.transaction(async ({ sql }) => {
      const [video] = await execute(sql, statements.LOCK_VIDEO, {
        accountId: owner.accountId,
        videoId: owner.videoId,
        group: group.key,
      });
      const found = await unitsInStore(store, group);
      const known = await unitsInRows(sql, owner.accountId, group);
      // What has no row yet may be about to be published or swept.
      const keys = video?.busy ? known.keys() : new Set([...known.keys(), ...found.keys()]);
      const wrong = [...keys].filter((key) => known.get(key) !== found.get(key));
      if (wrong.length === 0) return 0;
      if (known.size === 0 && !video?.wanted) return 0;
      await correct(sql, owner, wrong, { known, found });
      await raiseAlert(sql, {
        kind: 'storage.mismatch',
        subject: group.key,
        message: describe(wrong, { known, found }),
        accountId: owner.accountId,
      });
      return 1;
    });
  }

  private async reportStray({ key }: Group): Promise<number> {
    const message = 'This is in the object store under a name that this service does not use.';
    await raiseAlert(this.deps.db.sql, { kind: 'storage.mismatch', subject: key, message });
    return 1;
  }
}

type Owner = NonNullable<Group['owner']>;
/** Bytes per unit, as recorded and as found. */
interface Compared {
  readonly known: ReadonlyMap<string, bigint>;
  readonly found: ReadonlyMap<string, bigint>;
}

/**
 * A young group without a row may be about to get one. An old one is suspect, though a video may still play from it.
 */
function suspectOf({ there, known }: WalkedGroup, nowMs: number): Group | null {
  if (!known) return there && there.units.size > 0 && there.newestMs < nowMs - MS_PER_HOUR ? there.group : null;
  const isSame =
    there?.units.size === known.units.size &&
    [...known.units].every(([key, sizeBytes]) => there.units.get(key) === sizeBytes);
  return isSame ? null : known.group;
}

async function unitsInStore(store: ObjectStore, group: Group): Promise<ReadonlyMap<string, bigint>> {
  return (await measureGroup(store, group))?.units ?? new Map();
}

async function unitsInRows(sql: Sql, accountId: string, group: Group): Promise<ReadonlyMap<string, bigint>> {
  const rows = await execute(sql, statements.GROUP_ROWS, { accountId, group: group.key });
  return new Map(rows.map((row) => [row.key, BigInt(row.size_bytes)]));
}

async function correct(
  sql: Sql,
  { accountId, videoId }: Owner,
  keys: readonly string[],
  { known, found }: Compared,
): Promise<void> {
  const [at] = await execute(sql, statements.FOUND_AT);
  for (const key of keys) {
    const sizeBytes = found.get(key);
    if (known.has(key)) await execute(sql, statements.CLOSE_ROW, { accountId, key, removedAt: at!.now });
    if (sizeBytes !== undefined)
      await execute(sql, statements.OPEN_ROW, { accountId, key, videoId, sizeBytes, storedAt: at!.now });
  }
}

function describe(keys: readonly string[], { known, found }: Compared): string {
  const lines = keys.map(
    (key) => `${key}: ${known.get(key) ?? 'no'} bytes recorded, ${found.get(key) ?? 'no'} bytes found`,
  );
  return `${lines.slice(0, 10).join('; ')}. From now on, storage is charged for what was found.`;
}
