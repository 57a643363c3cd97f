import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { Notification, NotificationKind } from '../types/notification.js';

@Resolver()
export class NotificationsResolver {
  @Access('owner')
  @Query(() => [Notification], {
    description: 'Each kind of news that can be switched off, and how the owner hears of it.',
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
