import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A secret that webhooks are signed with, encrypted under the master key. */
export const WebhookSecret = defineEntity({
  name: 'WebhookSecret',
  tableName: 'webhook_secret',
  properties: {
    accountId: p.uuid().primary(),
    endpointId: p.uuid().primary(),
    id: p.uuid().primary(),
    masterKeyId: p.text(),
    sealed: p.blob(),
    /** `null` for the current one. */
    endsAt: p.datetime().nullable(),
  },
});
export type WebhookSecret = InferEntity<typeof WebhookSecret>;
