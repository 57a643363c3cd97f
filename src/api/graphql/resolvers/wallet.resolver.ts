import { Arg, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root, Field, ID, InputType } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { Credits } from '../scalars/credits.js';
import { Bucket, LedgerAccount, LedgerEntryType } from '../types/enums.js';
import { LedgerEntryConnection, Wallet } from '../types/wallet.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { ledgerEntryView, walletView } from '../views/walletView.js';
import { DateTime } from '../scalars/dateTime.js';

@InputType({ description: 'Each field narrows the result. Omitted fields do not filter.' })
class LedgerFilterInput {
  @Field(() => [LedgerAccount], { nullable: true })
  accounts?: LedgerAccount[] | null;

  @Field(() => [LedgerEntryType], { nullable: true })
  types?: LedgerEntryType[] | null;

  @Field(() => DateTime, { nullable: true, description: 'From this time on.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Before this time.' })
  to?: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Only entries about this video: credits locked, charged or returned.',
  })
  videoId?: string | null;

  @Field(() => Credits, { nullable: true, description: 'Only entries that add or take exactly this.' })
  amount?: bigint | null;
}

@Resolver(() => Wallet)
export class WalletResolver {
  @Access('owner')
  @Query(() => Wallet)
  async wallet(@Ctx() context: GraphqlContext): Promise<Wallet> {
    return walletOf(context, accountIdIn(context));
  }

  @FieldResolver(() => LedgerEntryConnection, { description: 'Newest first.' })
  async entries(
    @Root() wallet: Wallet,
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
    @Arg('filter', () => LedgerFilterInput, { nullable: true }) filter: LedgerFilterInput | null | undefined,
  ): Promise<LedgerEntryConnection> {
    const { amount = null, ...narrowing } = filter ?? {};
    const page = { first: pageSize(first) + 1, after: after ?? null, filter: { ...narrowing, amountMicros: amount } };
    const lines = await context.services.wallet.lines(wallet.accountId, page);
    return connectionOfRows(lines, first, (line) => ledgerEntryView(wallet.accountId, line));
  }

  @FieldResolver(() => [Bucket], {
    description: 'The buckets that draw from MASTER when they are short for a job or a night. All of them by default.',
  })
  automaticAllocation(@Root() wallet: Wallet, @Ctx() context: GraphqlContext): Promise<Bucket[]> {
    return context.services.wallet.automaticBuckets(wallet.accountId);
  }

  @Access('active', 'money')
  @Mutation(() => Wallet, {
    description: 'Whether CLOUD, AI or CREATIVE draws from MASTER when it is short for a job or a night.',
  })
  async setAutomaticAllocation(
    @Ctx() context: GraphqlContext,
    @Arg('bucket', () => Bucket) bucket: Bucket,
    @Arg('enabled', () => Boolean) enabled: boolean,
  ): Promise<Wallet> {
    const accountId = accountIdIn(context);
    await context.services.wallet.setAutomaticAllocation(accountId, { bucket, enabled });
    return walletOf(context, accountId);
  }

  @Access('active', 'money')
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
    const accountId = accountIdIn(context);
    await context.services.wallet.allocate(accountId, { from, to, amountMicros: amount, idempotencyKey });
    return walletOf(context, accountId);
  }
}

export async function walletOf(context: GraphqlContext, accountId: string): Promise<Wallet> {
  return walletView(accountId, await context.services.wallet.balances(accountId));
}
