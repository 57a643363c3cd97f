import { eventIdOf } from '../../shared/events/eventLog.js';
import type { EventType } from '../../shared/events/eventTypes.js';
import type { AttemptRow, DeliveryRow, DeliveryState, TEST_EVENT } from './delivery.sql.js';
import type { DisabledReason, EndpointRow } from './endpoint.sql.js';

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** `null` for all. */
  readonly eventTypes: readonly EventType[] | null;
  /** `null` while it is enabled. */
  readonly disabled: { readonly reason: DisabledReason; readonly at: Date } | null;
  /** When the first attempt since the last success failed; `null` if the last one succeeded. */
  readonly failingSince: Date | null;
  readonly createdAt: Date;
  /** Until then, the previous secret signs, too. */
  readonly previousSecretEndsAt: Date | null;
}

export interface Delivery {
  readonly id: string;
  /** `evt_…` */
  readonly eventId: string;
  readonly type: EventType | typeof TEST_EVENT;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the event happened. */
  readonly createdAt: Date;
  readonly nextAttemptAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

export interface Attempt {
  readonly id: string;
  readonly cursor: string;
  readonly createdAt: Date;
  readonly url: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly answer: string;
}

export function endpointOf(row: EndpointRow): Endpoint {
  const date = (text: string | null) => (text === null ? null : new Date(text));
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    disabled: row.disabled_reason && { reason: row.disabled_reason, at: new Date(row.disabled_at!) },
    failingSince: date(row.failing_since),
    createdAt: new Date(row.created_at),
    previousSecretEndsAt: date(row.previous_secret_ends_at),
  };
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.number,
    eventId: eventIdOf(row.event_id),
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    createdAt: new Date(row.created_at),
    nextAttemptAt: row.next_attempt_at === null ? null : new Date(row.next_attempt_at),
    lastStatus: row.last_status,
    lastError: row.last_error,
  };
}

export function attemptOf(row: AttemptRow): Attempt {
  return {
    id: row.id,
    cursor: `${row.created_at}_${row.id}`,
    createdAt: new Date(row.created_at),
    url: row.url,
    status: row.status,
    error: row.error,
    durationMs: row.duration_ms,
    answer: row.answer,
  };
}
