import { Field, ObjectType, registerEnumType } from 'type-graphql';

/** As in GraphQL; the domain writes `video.ready`. */
export enum NotificationKind {
  VIDEO_READY = 'video.ready',
  VIDEO_FAILED = 'video.failed',
  WALLET_LOW = 'wallet.low',
  WALLET_RUNWAY_SHORT = 'wallet.runway_short',
  WEBHOOK_DISABLED = 'webhook.disabled',
}
registerEnumType(NotificationKind, {
  name: 'SwitchableNotification',
  description: 'News that an owner may not want. Emails about security and receipts are always sent.',
});

@ObjectType({ description: 'How an owner is notified of one kind of news.' })
export class Notification {
  @Field(() => NotificationKind)
  kind!: NotificationKind;

  @Field(() => Boolean)
  email!: boolean;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether an open dashboard shows a message; null if there is none for this kind.',
  })
  dashboard!: boolean | null;
}
