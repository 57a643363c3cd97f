import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** An endpoint whose deliveries and attempts are still to be deleted. */
export const DeletedWebhookEndpoint = defineEntity({
  name: 'DeletedWebhookEndpoint',
  tableName: 'deleted_webhook_endpoint',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    deletedAt: p.datetime(),
  },
});
export type DeletedWebhookEndpoint = InferEntity<typeof DeletedWebhookEndpoint>;
