import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One webhook as it arrived, processed once. */
export const WebhookEvent = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_event',
  properties: {
    provider: p.text().primary(),
    eventId: p.text().primary(),
    bodyHash: p.blob().primary(),
    id: p.uuid(),
    type: p.text(),
    providerCreatedAt: p.datetime(),
    receivedAt: p.datetime(),
    body: p.blob(),
    status: p.text(),
    attempts: p.integer(),
    lastError: p.text().nullable(),
    nextAttemptAt: p.datetime().nullable(),
    accountId: p.uuid().nullable(),
    paymentId: p.text().nullable(),
    outcome: p.text().nullable(),
    processedAt: p.datetime().nullable(),
    facts: p.json().$type<unknown>().nullable(),
    redactedAt: p.datetime().nullable(),
  },
});
export type WebhookEvent = InferEntity<typeof WebhookEvent>;
