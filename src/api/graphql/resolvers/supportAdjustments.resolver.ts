import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { viewerIn, type GraphqlContext } from '../context.js';
import { Credits } from '../scalars/credits.js';
import {
  AdjustmentRequest,
  AdjustmentRequestConnection,
  AdjustmentStatus,
  WalletAdjustment,
} from '../types/supportMoney.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { adjustmentRequestView } from '../views/supportMoneyView.js';
import { walletOf } from './wallet.resolver.js';

/** Adjustments of wallets: by one member of staff up to a limit, by two above it. */
@Resolver()
export class SupportAdjustmentsResolver {
  @Access('support')
  @Mutation(() => WalletAdjustment, {
    description:
      'Corrects MASTER up or down, or requests approval if a second member of staff is needed. The same key twice is one correction.',
  })
  async adjustWallet(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('amount', () => Credits) amount: bigint,
    @Arg('reason', () => String) reason: string,
    @Arg('idempotencyKey', () => String) idempotencyKey: string,
  ): Promise<WalletAdjustment> {
    const order = { actorId: viewerIn(context).userId, accountId, amountMicros: amount, reason, idempotencyKey };
    const request = await context.services.adjustments.adjust(order);
    return { wallet: await walletOf(context, accountId), pending: request && adjustmentRequestView(request) };
  }

  @Access('support')
  @Query(() => AdjustmentRequestConnection, { description: 'Of all accounts, newest first.' })
  async adjustmentRequests(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
    @Arg('status', () => AdjustmentStatus, { nullable: true }) status: AdjustmentStatus | null | undefined,
  ): Promise<AdjustmentRequestConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null, status: status ?? null };
    return connectionOfRows(await context.services.adjustments.list(page), first, adjustmentRequestView);
  }

  @Access('support')
  @Mutation(() => AdjustmentRequest, {
    description: 'Approves and books a correction that another member of staff proposed. Idempotent.',
  })
  async approveAdjustment(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('id', () => ID) adjustmentId: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<AdjustmentRequest> {
    const decision = { actorId: viewerIn(context).userId, accountId, adjustmentId, reason };
    return adjustmentRequestView(await context.services.adjustments.approve(decision));
  }

  @Access('support')
  @Mutation(() => AdjustmentRequest)
  async refuseAdjustment(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('id', () => ID) adjustmentId: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<AdjustmentRequest> {
    const decision = { actorId: viewerIn(context).userId, accountId, adjustmentId, reason };
    return adjustmentRequestView(await context.services.adjustments.refuse(decision));
  }
}
