import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** How an owner wants to hear of one kind of news; null stands for the kind's default. */
export const NotificationChoice = defineEntity({
  name: 'NotificationChoice',
  tableName: 'notification_choice',
  properties: {
    accountId: p.uuid().primary(),
    kind: p.text().primary(),
    email: p.boolean().nullable(),
    dashboard: p.boolean().nullable(),
  },
});
export type NotificationChoice = InferEntity<typeof NotificationChoice>;
