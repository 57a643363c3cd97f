import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One request to an endpoint and what came of it, in the partition of its month. */
export const WebhookAttempt = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempt',
  properties: {
    accountId: p.uuid().primary(),
    endpointId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    createdAt: p.datetime().primary(),
    id: p.uuid().primary(),
    url: p.text(),
    /** `null` if there was no response. */
    status: p.smallint().nullable(),
    /** Why it failed; `null` for a success. */
    error: p.text().nullable(),
    durationMs: p.integer(),
    /** The first 2 KB of the response's body. */
    answer: p.text(),
  },
});
export type WebhookAttempt = InferEntity<typeof WebhookAttempt>;
