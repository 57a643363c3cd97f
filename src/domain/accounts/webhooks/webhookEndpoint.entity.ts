import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { EventType } from '../../shared/events/eventTypes.js';

/** An address that an account's events are posted to. */
export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    url: p.text(),
    description: p.text(),
    /** `null` for all. */
    eventTypes: p.array().$type<EventType[]>().nullable(),
    disabledReason: p.text().$type<'owner' | 'gone' | 'failing'>().nullable(),
    disabledAt: p.datetime().nullable(),
    /** When an attempt first failed since the last success, or since the last long time without attempts. */
    failingSince: p.datetime().nullable(),
    /** When an attempt last failed. */
    lastFailedAt: p.datetime().nullable(),
    /** Failed attempts since the last success. */
    failures: p.integer(),
    /** Nothing is sent before. */
    pausedUntil: p.datetime(),
    /** A deliverer has it until then; later, when it was last served. */
    leaseUntil: p.datetime(),
    createdAt: p.datetime(),
  },
});
export type WebhookEndpoint = InferEntity<typeof WebhookEndpoint>;
