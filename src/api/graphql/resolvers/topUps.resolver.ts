import { Arg, Ctx, ID, Int, Mutation, Query, Resolver, FieldResolver, Root } from 'type-graphql';

import type { TopUpDetails } from '../../../domain/payments/topUps/topUpDetails.js';
import { Access } from '../access.js';
import { accountIdIn, viewerIn, type GraphqlContext } from '../context.js';
import { Credits } from '../scalars/credits.js';
import { PaymentProvider, PaymentProviderName, TopUp, TopUpConnection } from '../types/topUp.js';
import { Wallet } from '../types/wallet.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { paymentProviderView, topUpView } from '../views/topUpView.js';
import { walletOf } from './wallet.resolver.js';
import { CreditNote } from '../types/billing.js';
import { creditNoteView, receiptUrl } from '../views/billingView.js';

@Resolver()
export class TopUpsResolver {
  @Access('owner')
  @Query(() => [PaymentProvider], { description: 'The ways to pay, with their limits and what they are worth now.' })
  async paymentProviders(@Ctx() context: GraphqlContext): Promise<PaymentProvider[]> {
    return (await context.services.topUps.offers()).map(paymentProviderView);
  }

  @Access('owner')
  @Query(() => TopUpConnection, { description: 'Newest first.' })
  async topUps(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<TopUpConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const topUps = await context.services.topUps.list(accountIdIn(context), page);
    return connectionOfRows(topUps, first, (topUp) => topUpFor(context, topUp));
  }

  @Access('owner')
  @Query(() => TopUp)
  async topUp(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<TopUp> {
    return topUpOf(context, id);
  }

  @Access('verified', 'money')
  @Mutation(() => TopUp, {
    description:
      'Opens a checkout at a rate that holds until it expires. The same key is the same top-up: after PROVIDER_UNAVAILABLE, send it again.',
  })
  async createTopUp(
    @Ctx() context: GraphqlContext,
    @Arg('provider', () => PaymentProviderName) provider: PaymentProviderName,
    @Arg('amount', () => String, { description: 'In the provider’s currency, at most two decimals.' }) amount: string,
    @Arg('idempotencyKey', () => String) idempotencyKey: string,
    @Arg('returnPath', () => String, {
      nullable: true,
      description: 'The path on this site to which the payer returns. Default: /wallet.',
    })
    returnPath: string | null | undefined,
  ): Promise<TopUp> {
    const order = { provider, amount, idempotencyKey, ...(returnPath ? { returnPath } : {}) };
    const { id } = await context.services.topUps.createTopUp(accountIdIn(context), order);
    return topUpOf(context, id);
  }

  @Access('verified', 'money')
  @Mutation(() => TopUp, {
    description: 'Requests a refund of a part of a top-up: at most what is left of it, and at most what MASTER holds.',
  })
  async requestRefund(
    @Ctx() context: GraphqlContext,
    @Arg('topUpId', () => ID) topUpId: string,
    @Arg('amount', () => String, { description: 'In the currency of the top-up.' }) amount: string,
    @Arg('idempotencyKey', () => String) idempotencyKey: string,
  ): Promise<TopUp> {
    await context.services.refunds.requestRefund(accountIdIn(context), { topUpId, amount, idempotencyKey });
    return topUpOf(context, topUpId);
  }

  @Access('active', 'money')
  @Mutation(() => Wallet, { description: 'Pays debt from MASTER; the same key twice pays once.' })
  async repayDebt(
    @Ctx() context: GraphqlContext,
    @Arg('amount', () => Credits) amount: bigint,
    @Arg('idempotencyKey', () => String) idempotencyKey: string,
  ): Promise<Wallet> {
    const accountId = accountIdIn(context);
    await context.services.wallet.repayDebt(accountId, { amountMicros: amount, idempotencyKey });
    return walletOf(context, accountId);
  }
}

async function topUpOf(context: GraphqlContext, id: string): Promise<TopUp> {
  return topUpFor(context, await context.services.topUps.get(accountIdIn(context), id));
}

/** A member of staff who looks at the account does not pay in its owner's place. */
function topUpFor(context: GraphqlContext, topUp: TopUpDetails): TopUp {
  return topUpView(viewerIn(context).view === null ? topUp : { ...topUp, checkout: null });
}

/** Downloads that belong to a top-up. */
@Resolver(() => TopUp)
export class TopUpDocumentsResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'The receipt or tax invoice (PDF), with the same session; null until it is credited.',
  })
  receiptUrl(@Root() topUp: TopUp): string | null {
    return topUp.creditedAt === null ? null : receiptUrl(topUp.id);
  }

  @FieldResolver(() => [CreditNote], { description: 'One per processed refund. Only on the viewer’s own top-ups.' })
  async creditNotes(@Root() topUp: TopUp, @Ctx() context: GraphqlContext): Promise<CreditNote[]> {
    const refunds = await context.loaders.creditNotes.load({ accountId: accountIdIn(context), uuid: topUp.id });
    return refunds.map((refund) => creditNoteView(topUp.id, refund));
  }
}
