import type { Database } from '../../../src/db/sql.js';
import { EventLog, type LoggedEvent } from '../../../src/domain/shared/events/eventLog.js';
import { EVENT_TYPES } from '../../../src/domain/shared/events/eventTypes.js';

/** An account's whole log, oldest first. @throws if an event does not match its schema */
export async function eventsOf(db: Database, accountId: string): Promise<LoggedEvent[]> {
  const log = new EventLog(db);
  const events: LoggedEvent[] = [];
  for (;;) {
    const after = events.at(-1)?.cursor ?? null;
    const page = await log.page(accountId, { first: 100, after, types: null, oldestFirst: true });
    if (page.length === 0) return events;
    for (const event of page) EVENT_TYPES[event.type].data.parse(event.data);
    events.push(...page);
  }
}

/** The types of all events, oldest first. */
export async function eventTypesOf(db: Database, accountId: string): Promise<string[]> {
  return (await eventsOf(db, accountId)).map(({ type }) => type);
}
