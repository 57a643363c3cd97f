import { Arg, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { Credits } from '../scalars/credits.js';
import { Bucket } from '../types/enums.js';
import { LedgerEntryConnection, Wallet } from '../types/wallet.js';

@Resolver(() => Wallet)
export class WalletResolver {
  @Access('owner')
  @Query(() => Wallet)
  async wallet(@Ctx() context: GraphqlContext): Promise<Wallet> {
    throw new Error(`not yet ${String([context])}`);
  }

  @FieldResolver(() => LedgerEntryConnection, { description: 'Newest first.' })
  async entries(
    @Root() wallet: Wallet,
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null,
  ): Promise<LedgerEntryConnection> {
    throw new Error(`not yet ${String([wallet, context, first, after])}`);
  }

  @Access('active')
  @Mutation(() => Wallet, {
    description: 'Moves credits between MASTER and the buckets; the same key twice moves them once.',
  })
  async allocateCredits(
    @Ctx() context: GraphqlContext,
    @Arg('from', () => Bucket) from: Bucket,
    @Arg('to', () => Bucket) to: Bucket,
    @Arg('amount', () => Credits) amount: bigint,
    @Arg('idempotencyKey', () => String) idempotencyKey: string,
  ): Promise<Wallet> {
    throw new Error(`not yet ${String([context, from, to, amount, idempotencyKey])}`);
  }
}
