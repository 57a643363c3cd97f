import { Arg, Ctx, Mutation, Query, Resolver, Field, ObjectType, registerEnumType } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';

/** As in GraphQL; the domain writes `video.ready`. */
enum NotificationKind {
  VIDEO_READY = 'video.ready',
  VIDEO_FAILED = 'video.failed',
  WALLET_LOW = 'wallet.low',
  WALLET_RUNWAY_SHORT = 'wallet.runway_short',
  WEBHOOK_DISABLED = 'webhook.disabled',
}
registerEnumType(NotificationKind, {
  name: 'SwitchableNotification',
  description: 'News that owners can switch off. Emails about security and receipts are always sent.',
});

@ObjectType({ description: 'How an owner is notified of one kind of news.' })
class Notification {
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

@Resolver()
export class NotificationsResolver {
  @Access('owner')
  @Query(() => [Notification], {
    description: 'Each kind of news that can be switched off, and how the owner is notified.',
  })
  async notifications(@Ctx() context: GraphqlContext): Promise<Notification[]> {
    return (await context.services.notifications.list(accountIdIn(context))) as Notification[];
  }

  @Access('active', 'manage')
  @Mutation(() => Notification, { description: 'Changes the channels that are given, and keeps the others.' })
  async setNotification(
    @Ctx() context: GraphqlContext,
    @Arg('kind', () => NotificationKind) kind: NotificationKind,
    @Arg('email', () => Boolean, { nullable: true }) email: boolean | null | undefined,
    @Arg('dashboard', () => Boolean, { nullable: true }) dashboard: boolean | null | undefined,
  ): Promise<Notification> {
    const channels = { email: email ?? null, dashboard: dashboard ?? null };
    return (await context.services.notifications.choose(accountIdIn(context), kind, channels)) as Notification;
  }
}
