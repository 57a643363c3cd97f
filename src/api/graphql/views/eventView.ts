import { eventBody, type LoggedEvent } from '../../../domain/shared/events/eventLog.js';
import type { Event } from '../types/event.js';

export function eventView(event: LoggedEvent): Event {
  const { id, type, version, createdAt, cursor } = event;
  return { id, type, version, createdAt, cursor, payload: eventBody(event) };
}
