import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { ACTOR_NAMES } from '../../accounts/account.sql.js';
import type { ActorKind } from '../../shared/actor.js';
import { AUDIT_OF_VIDEO } from '../../shared/auditLog.js';
import type { EventLog } from '../../shared/events/eventLog.js';
import { inBatches } from '../../shared/inBatches.js';
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

interface Found extends Omit<VideoActivity, 'actorName' | 'cursor'> {
  readonly actorId: string | null;
  readonly atMicros: string;
}

const NEWEST = '9000000000000000';
/** A microsecond, and how many of its lines are on the pages before. */
const CURSOR = /^(\d{1,16})(?::(\d{1,3}))?$/;

/**
 * Tells what happened to a video, from where it is recorded anyway: the event log, the changes, the audit trail and the
 * rollups.
 */
export class VideoActivityService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly eventLog: Pick<EventLog, 'ofVideo'>;
      /** How many days changes are kept. */
      readonly keepDays: number;
    },
  ) {}

  /**
   * The newest first, at most `first`: four index walks of that length, however much has happened.
   *
   * @param after the cursor of the last one
   * @throws INVALID_INPUT for an invalid cursor
   */
  async page(
    accountId: string,
    videoId: string,
    { first, after }: { first: number; after: string | null },
  ): Promise<VideoActivity[]> {
    const [, micros, listed = '0'] = CURSOR.exec(after ?? NEWEST) ?? [];
    if (micros === undefined) throw new AppError('INVALID_INPUT', 'after: invalid cursor.');
    // Several lines may have the time of the cursor, such as first tokens of keys. Reads all of them, and skips those of
    // earlier pages.
    const skipped = Number(listed);
    const beforeMicros = skipped === 0 ? micros : String(BigInt(micros) + 1n);
    const { db, eventLog, keepDays } = this.deps;
    const page = { beforeMicros, first: first + skipped };
    const before = { accountId, videoId, ...page };
    const [events, changes, audit, days] = await Promise.all([
      eventLog.ofVideo(accountId, videoId, page),
      execute(db.sql, CHANGES_OF_VIDEO, { ...before, keepDays }),
      execute(db.sql, AUDIT_OF_VIDEO, before),
      execute(db.sql, DAYS_OF_VIDEO, before),
    ]);
    const found = [
      ...events.map(({ type, at_micros }) => happened(type, 'service', at_micros)),
      ...changes.map(({ kind, actor, actor_id: actorId, at_micros }) => ({
        ...happened(kind, actor, at_micros),
        actorId,
      })),
      ...audit.map(({ action, at_micros }) => happened(action, 'support', at_micros)),
      ...days.map(({ views, at_micros }) => ({ ...happened('views', 'viewers', at_micros), views })),
    ].toSorted((a, b) => Number(BigInt(b.atMicros) - BigInt(a.atMicros)));
    const wanted = withCursors(found).filter(({ atMicros }, index) => index >= skipped || atMicros !== micros);
    return this.named(accountId, wanted.slice(0, first));
  }

  /** Forgets changes that have been kept long enough. Runs nightly. @returns how many */
  forget(signal?: AbortSignal): Promise<number> {
    const { db, keepDays } = this.deps;
    return inBatches(FORGET_BATCH, async () => (await execute(db.sql, FORGET_CHANGES, { keepDays })).length, signal);
  }

  private async named(accountId: string, found: readonly WithCursor[]): Promise<VideoActivity[]> {
    const ids = [...new Set(found.flatMap(({ actorId }) => actorId ?? []))];
    const rows = ids.length === 0 ? [] : await execute(this.deps.db.sql, ACTOR_NAMES, { accountId, ids });
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    return found.map(({ kind, actor, actorId, at, views, cursor }) => {
      const actorName = actorId === null ? null : (names.get(actorId) ?? null);
      return { kind, actor, actorName, at, views, cursor };
    });
  }
}

type WithCursor = Found & Pick<VideoActivity, 'cursor'>;

/** @param found newest first */
function withCursors(found: readonly Found[]): WithCursor[] {
  let nth = 0;
  return found.map((one, index) => {
    nth = found[index - 1]?.atMicros === one.atMicros ? nth + 1 : 1;
    return { ...one, cursor: `${one.atMicros}:${nth}` };
  });
}

function happened(kind: string, actor: Actor, atMicros: string): Found {
  const at = new Date(Number(BigInt(atMicros) / 1000n));
  return { kind, actor, actorId: null, at, views: null, atMicros };
}
