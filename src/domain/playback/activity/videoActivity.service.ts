import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { AUDIT_OF_VIDEO } from '../../shared/auditLog.js';
import type { EventLog } from '../../shared/events/eventLog.js';
import { DAYS_OF_VIDEO } from '../analytics/analytics.sql.js';

/** Who caused it: the owner, the service by itself, support staff, or viewers. */
export type Actor = 'owner' | 'service' | 'support' | 'viewers';

/** Something that happened to a video, or a UTC day on which it was watched. */
export interface VideoActivity {
  /** An event, such as `video.ready`; `video.retry`; or `views`. */
  readonly kind: string;
  readonly actor: Actor;
  /** Of a day with views, its beginning. */
  readonly at: Date;
  /** Only of a day with views. */
  readonly views: number | null;
  readonly cursor: string;
}

/** Everything else is what the service did by itself. */
const BY_OWNER: ReadonlySet<string> = new Set(['video.uploaded', 'video.deleted', 'video.restored']);
const NEWEST = '9000000000000000';
const CURSOR = /^\d{1,16}$/;

/** Tells what happened to a video, from where it is recorded anyway: the event log, the audit trail and the rollups. */
export class VideoActivityService {
  constructor(private readonly deps: { readonly db: Database; readonly eventLog: Pick<EventLog, 'ofVideo'> }) {}

  /**
   * The newest first, at most `first`: three index walks of that length, however much has happened.
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
    const [events, audit, days] = await Promise.all([
      eventLog.ofVideo(accountId, videoId, page),
      execute(db.sql, AUDIT_OF_VIDEO, before),
      execute(db.sql, DAYS_OF_VIDEO, before),
    ]);
    return [
      ...events.map(({ type, at_micros }) => activity(type, BY_OWNER.has(type) ? 'owner' : 'service', at_micros)),
      ...audit.map(({ action, at_micros }) => activity(action, 'support', at_micros)),
      ...days.map(({ views, at_micros }) => ({ ...activity('views', 'viewers', at_micros), views })),
    ]
      .toSorted((a, b) => Number(BigInt(b.cursor) - BigInt(a.cursor)))
      .slice(0, first);
  }
}

function activity(kind: string, actor: Actor, atMicros: string): VideoActivity {
  return { kind, actor, at: new Date(Number(BigInt(atMicros) / 1000n)), views: null, cursor: atMicros };
}
