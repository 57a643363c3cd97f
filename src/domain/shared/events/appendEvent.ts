import { execute, type Sql } from '../../../db/sql.js';
import { APPEND } from './event.sql.js';
import { EVENT_TYPES, type EventData, type EventType } from './eventTypes.js';

/** An event to write. `fact` names what happened, the same in every retry, such as `topup.credited:<top-up>`. */
export type NewEvent = {
  [Type in EventType]: {
    readonly accountId: string;
    readonly type: Type;
    /** Without the type, which is prepended. */
    readonly fact: string;
    readonly data: EventData<Type>;
  };
}[EventType];

/** Writes events in the caller's transaction. Skips facts that already have an event. */
export async function appendEvents(sql: Sql, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await execute(sql, APPEND, {
    accountIds: events.map(({ accountId }) => accountId),
    types: events.map(({ type }) => type),
    versions: events.map(({ type }) => EVENT_TYPES[type].version),
    facts: events.map(({ type, fact }) => `${type}:${fact}`),
    data: events.map(({ data }) => JSON.stringify(data)),
  });
}

/**
 * SQL for a select list or RETURNING that writes the event in the same statement that causes it.
 *
 * @param event SQL expressions over the columns in scope. Leave out a video's `videoId`: it is derived from `uuid` when
 * the event is read.
 */
export function appendEventSql<Type extends EventType>(
  type: Type,
  event: {
    readonly accountId: string;
    readonly fact: string;
    readonly data: Readonly<Record<Exclude<keyof EventData<Type>, 'videoId'>, string>>;
  },
): string {
  const { version } = EVENT_TYPES[type];
  const data = Object.entries<string>(event.data).map(([key, value]) => `'${key}', ${value}`);
  return `append_event(${event.accountId}, '${type}', ${version}::smallint, '${type}:' || ${event.fact},
    jsonb_build_object(${data.join(', ')}))`;
}
