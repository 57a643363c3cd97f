import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { viewerIn, type GraphqlContext } from '../context.js';
import {
  SupportTopUp,
  SupportTopUpConnection,
  SuspenseItem,
  SuspenseItemConnection,
  WebhookDelivery,
  WebhookEvent,
  WebhookEventConnection,
  WebhookStatus,
} from '../types/supportPayments.js';
import { PaymentProviderName } from '../types/topUp.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import type { SuspenseItem as StoredItem } from '../../../domain/payments/support/supportPayments.views.js';
import type { TopUpDetails } from '../../../domain/payments/topUps/topUpDetails.js';
import { topUpFields } from '../views/topUpView.js';

@Resolver()
export class SupportPaymentsResolver {
  @Access('support')
  @Query(() => WebhookEventConnection, { description: 'The webhook inbox, newest first.' })
  async webhookEvents(
    @Ctx() context: GraphqlContext,
    @Arg('status', () => WebhookStatus, { nullable: true }) status: WebhookStatus | null | undefined,
    @Arg('provider', () => PaymentProviderName, { nullable: true }) provider: PaymentProviderName | null | undefined,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<WebhookEventConnection> {
    const filter = { status: status ?? null, provider: provider ?? null };
    const page = { first: pageSize(first) + 1, after: after ?? null };
    return connectionOfRows(await context.services.supportPayments.webhooks(filter, page), first, (event) => event);
  }

  @Access('support')
  @Query(() => WebhookDelivery)
  webhookEvent(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<WebhookDelivery> {
    return context.services.supportPayments.webhook(id);
  }

  @Access('support')
  @Mutation(() => WebhookEvent, {
    description: 'Processes a stored webhook again. Nothing is booked twice.',
  })
  replayWebhook(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<WebhookEvent> {
    return context.services.supportPayments.replay(id, viewerIn(context).userId, reason);
  }

  @Access('support')
  @Query(() => SuspenseItemConnection, { description: 'Money that could not be credited, newest first.' })
  async suspenseItems(
    @Ctx() context: GraphqlContext,
    @Arg('all', () => Boolean, { defaultValue: false, description: 'Include resolved ones.' }) all: boolean,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<SuspenseItemConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const items = await context.services.supportPayments.suspense({ all }, page);
    return connectionOfRows(items, first, suspenseItemView);
  }

  @Access('support')
  @Mutation(() => SuspenseItem, {
    description: 'Marks an item as dealt with. Books nothing: the webhook of the provider books money that goes back.',
  })
  async resolveSuspenseItem(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<SuspenseItem> {
    const { supportPayments } = context.services;
    return suspenseItemView(await supportPayments.resolveSuspense(id, viewerIn(context).userId, reason));
  }

  @Access('support')
  @Query(() => SupportTopUpConnection, {
    description: 'Top-ups that the provider lists as paid, but whose webhook is missing. Newest first.',
  })
  async topUpsWithoutWebhook(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<SupportTopUpConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const topUps = await context.services.supportPayments.withoutWebhook(page);
    return connectionOfRows(topUps, first, supportTopUpView);
  }

  @Access('support')
  @Query(() => SupportTopUpConnection, { description: 'The top-ups of an account, newest first.' })
  async topUpsOf(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<SupportTopUpConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const topUps = await context.services.supportPayments.topUps(accountId, page);
    return connectionOfRows(topUps, first, supportTopUpView);
  }

  @Access('support')
  @Mutation(() => SupportTopUp, {
    description:
      'Refunds a part of a top-up. Credits that are already spent become debt once the provider has booked the refund.',
  })
  async refundTopUp(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('topUpId', () => ID) topUpId: string,
    @Arg('amount', () => String, { description: 'In the currency of the top-up.' }) amount: string,
    @Arg('reason', () => String) reason: string,
    @Arg('idempotencyKey', () => String) idempotencyKey: string,
  ): Promise<SupportTopUp> {
    const { refunds, topUps } = context.services;
    const actorId = viewerIn(context).userId;
    await refunds.refundByStaff({ actorId, accountId, topUpId, amount, reason, idempotencyKey });
    return supportTopUpView(await topUps.get(accountId, topUpId));
  }
}

function suspenseItemView(item: StoredItem): SuspenseItem {
  return { ...item, amountMinor: item.amountMinor.toString(), credits: item.amountMicros };
}

/** Leaves out the checkout, which only the payer may use. */
function supportTopUpView(topUp: TopUpDetails): SupportTopUp {
  return {
    ...topUpFields(topUp),
    checkout: null,
    accountId: topUp.accountId,
    orderId: topUp.orderId,
    paymentId: topUp.paymentId,
  };
}
