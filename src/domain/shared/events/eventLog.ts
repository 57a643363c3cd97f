import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { videoIdOf } from '../ids.js';
import { inBatches } from '../inBatches.js';
import { keepParts } from '../keptParts.js';
import {
  EVENT_DAYS,
  type EventRow,
  FIND,
  FORGET_BATCH,
  FORGET_FACTS,
  KEEP_MONTHS,
  NEWEST_FIRST,
  NEWEST_SEQ,
  NUMBER,
  NUMBER_BATCH,
  OF_VIDEO,
  OLDEST_FIRST,
} from './event.sql.js';
import { EVENT_ID, type EventType } from './eventTypes.js';

const CURSOR = /^\d{1,18}$/;

export interface LoggedEvent {
  /** `evt_…` */
  readonly id: string;
  /** Its position in the account's log, for `after`. */
  readonly cursor: string;
  readonly type: EventType;
  readonly version: number;
  readonly createdAt: Date;
  /** False for an event of a test account. */
  readonly livemode: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventPage {
  readonly first: number;
  /** `null` starts with the newest event, or with the oldest if `oldestFirst`. */
  readonly after: string | null;
  /** `null` for all. */
  readonly types: readonly EventType[] | null;
  readonly oldestFirst: boolean;
}

/** Reads the events that `appendEvents` wrote. */
export class EventLog {
  constructor(
    private readonly db: Database,
    /** How many days events, webhook deliveries and their attempts are kept. */
    private readonly keepDays = EVENT_DAYS,
  ) {}

  /**
   * Returns one page of the account's log. Paging with `after` and `oldestFirst` misses no event, however long its
   * transaction took.
   *
   * @throws INVALID_INPUT for an invalid cursor
   */
  async page(accountId: string, page: EventPage): Promise<LoggedEvent[]> {
    if (page.after !== null && !CURSOR.test(page.after)) throw new AppError('INVALID_INPUT', 'after: invalid cursor.');
    await this.number(accountId);
    const { first, after, types } = page;
    const rows = await execute(this.db.sql, page.oldestFirst ? OLDEST_FIRST : NEWEST_FIRST, {
      accountId,
      keepDays: this.keepDays,
      first,
      after,
      types,
    });
    return rows.map(eventOf);
  }

  /** The events of one video before a moment, newest first. */
  ofVideo(
    accountId: string,
    videoId: string,
    page: { readonly beforeMicros: string; readonly first: number },
  ): Promise<{ type: EventType; at_micros: string }[]> {
    return execute(this.db.sql, OF_VIDEO, { accountId, videoId, keepDays: this.keepDays, ...page });
  }

  /** Returns `null` if the event does not exist, or no longer does. */
  async find(accountId: string, eventId: string): Promise<LoggedEvent | null> {
    const uuid = uuidOfEvent(eventId);
    if (uuid === null) return null;
    const [row] = await execute(this.db.sql, FIND, { accountId, id: uuid, keepDays: this.keepDays });
    return row ? eventOf(row) : null;
  }

  /** The cursor of the newest event, to fetch only newer ones. */
  async newestCursor(accountId: string): Promise<string> {
    await this.number(accountId);
    const [row] = await execute(this.db.sql, NEWEST_SEQ, { accountId });
    return row?.last_seq ?? '0';
  }

  private async number(accountId: string): Promise<void> {
    const { sql } = this.db;
    await inBatches(NUMBER_BATCH, async () => (await execute(sql, NUMBER, { accountId }))[0]!.numbered);
  }

  /** Creates the partitions of the coming months, and drops expired ones. Runs nightly. @returns how many changed */
  async keep(signal?: AbortSignal): Promise<number> {
    const { keepDays } = this;
    const changes = await keepParts(async () => {
      const [row] = await execute(this.db.sql, KEEP_MONTHS, { keepDays });
      return row!.changes;
    }, signal);
    const forget = async (): Promise<number> => (await execute(this.db.sql, FORGET_FACTS, { keepDays })).length;
    await inBatches(FORGET_BATCH, forget, signal);
    return changes;
  }
}

/** `evt_<32 hexadecimal digits>` */
export function eventIdOf(uuid: string): string {
  return `evt_${uuid.replaceAll('-', '')}`;
}

/** Returns `null` if the text is not an event id. */
export function uuidOfEvent(eventId: string): string | null {
  return EVENT_ID.test(eventId) ? eventId.slice('evt_'.length) : null;
}

/** The whole event as JSON. The same event always gives the same text. */
export function eventBody(event: Omit<LoggedEvent, 'cursor'>): string {
  return JSON.stringify({
    id: event.id,
    type: event.type,
    version: event.version,
    timestamp: event.createdAt.toISOString(),
    livemode: event.livemode,
    data: event.data,
  });
}

export function eventOf(row: EventRow): LoggedEvent {
  const { uuid } = row.data;
  const isVideo = row.type.startsWith('video.') && typeof uuid === 'string';
  return {
    id: eventIdOf(row.id),
    cursor: row.seq,
    type: row.type,
    version: row.version,
    createdAt: new Date(row.created_at),
    livemode: row.livemode,
    data: isVideo ? { videoId: videoIdOf(uuid), ...row.data } : row.data,
  };
}
