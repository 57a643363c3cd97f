import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One event for one endpoint, in the partition of the event's month. Written by `append_event`. */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  properties: {
    accountId: p.uuid().primary(),
    /** When the event happened. */
    createdAt: p.datetime().primary(),
    endpointId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    number: p.bigint('bigint').defaultRaw(`nextval('webhook_delivery_number')`),
    type: p.text(),
    state: p.text().$type<'pending' | 'succeeded' | 'failed'>(),
    /** Failed attempts, and a last one that succeeded, since it was written or replayed. */
    attempts: p.smallint(),
    /** `null` once it has succeeded or was given up. */
    nextAttemptAt: p.datetime().nullable(),
    /** Of the last attempt. */
    lastStatus: p.smallint().nullable(),
    lastError: p.text().nullable(),
  },
});
export type WebhookDelivery = InferEntity<typeof WebhookDelivery>;
