import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { ACTOR_NAMES } from '../../accounts/actorNames.sql.js';
import type { ActorKind } from '../../shared/actor.js';
import { AUDIT_OF_VIDEO } from '../../shared/auditLog.js';
import type { EventLog } from '../../shared/events/eventLog.js';
import { CHANGES_OF_VIDEO, FORGET_BATCH, FORGET_CHANGES } from '../../shared/videoChanges/videoChange.sql.js';
import { DAYS_OF_VIDEO } from '../analytics/analytics.sql.js';

/** Who caused it. `service` is what happens by itself. */
export type Actor = ActorKind | 'viewers';

/** Something that happened to a video, or a UTC day on which it was watched. */
export interface VideoActivity {
  /** An event, such as `video.ready`; a change, such as `video.tags`; `video.retry`; or `views`. */
  readonly kind: string;
  readonly actor: Actor;
  /** What the owner calls it: a user, an access token or an API key. `null` if it is none, or no longer exists. */
  readonly actorName: string | null;
  /** Of a day with views, its beginning. */
  readonly at: Date;
  /** Only of a day with views. */
  readonly views: number | null;
  readonly cursor: string;
}

interface Found extends Omit<VideoActivity, 'actorName'> {
  readonly actorId: string | null;
}

const NEWEST = '9000000000000000';
const CURSOR = /^\d{1,16}$/;

/**
 * Tells what happened to a video, from where it is recorded anyway: the event log, the changes, the audit trail and the
 * rollups.
 */
export class VideoActivityService {
  constructor(private readonly deps: { readonly db: Database; readonly eventLog: Pick<EventLog, 'ofVideo'> }) {}

  /**
   * The newest first, at most `first`: four index walks of that length, however much has happened.
   *
   * @param after the cursor of the last one; what happened in the same microsecond is on the same page
   * @throws INVALID_INPUT for an invalid cursor
   */
  async page(
    accountId: string,
    videoId: string,
    { first, after }: { first: number; after: string | null },
  ): Promise<VideoActivity[]> {
    if (after !== null && !CURSOR.test(after)) throw new AppError('INVALID_INPUT', 'after: invalid cursor.');
    const { db, eventLog } = this.deps;
    const page = { beforeMicros: after ?? NEWEST, first };
    const before = { accountId, videoId, ...page };
    const [events, changes, audit, days] = await Promise.all([
      eventLog.ofVideo(accountId, videoId, page),
      execute(db.sql, CHANGES_OF_VIDEO, before),
      execute(db.sql, AUDIT_OF_VIDEO, before),
      execute(db.sql, DAYS_OF_VIDEO, before),
    ]);
    const found: Found[] = [
      ...events.map(({ type, at_micros }) => happened(type, 'service', at_micros)),
      ...changes.map(({ kind, actor, actor_id: actorId, at_micros }) => ({
        ...happened(kind, actor, at_micros),
        actorId,
      })),
      ...audit.map(({ action, at_micros }) => happened(action, 'support', at_micros)),
      ...days.map(({ views, at_micros }) => ({ ...happened('views', 'viewers', at_micros), views })),
    ]
      .toSorted((a, b) => Number(BigInt(b.cursor) - BigInt(a.cursor)))
      .slice(0, first);
    return this.named(accountId, found);
  }

  /** Forgets changes that are as old as events may get. Runs nightly. @returns how many */
  async forget(signal?: AbortSignal): Promise<number> {
    for (let forgotten = 0; ;) {
      signal?.throwIfAborted();
      const batch = await execute(this.deps.db.sql, FORGET_CHANGES);
      forgotten += batch.length;
      if (batch.length < FORGET_BATCH) return forgotten;
    }
  }

  private async named(accountId: string, found: readonly Found[]): Promise<VideoActivity[]> {
    const ids = [...new Set(found.flatMap(({ actorId }) => actorId ?? []))];
    const rows = ids.length === 0 ? [] : await execute(this.deps.db.sql, ACTOR_NAMES, { accountId, ids });
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    return found.map(({ actorId, ...activity }) => ({
      ...activity,
      actorName: actorId === null ? null : (names.get(actorId) ?? null),
    }));
  }
}

function happened(kind: string, actor: Actor, atMicros: string): Found {
  const at = new Date(Number(BigInt(atMicros) / 1000n));
  return { kind, actor, actorId: null, at, views: null, cursor: atMicros };
}
