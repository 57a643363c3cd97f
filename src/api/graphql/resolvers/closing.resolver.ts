import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, viewerIn, type GraphqlContext } from '../context.js';
import { AccountClosing, ClosingConsequences } from '../types/closing.js';
import { Account } from '../types/viewer.js';

@Resolver(() => Account)
export class ClosingResolver {
  @FieldResolver(() => AccountClosing, { nullable: true, description: 'Null unless the account is closed.' })
  closing(@Root() account: Account, @Ctx() context: GraphqlContext): Promise<AccountClosing | null> | null {
    // A closed account is suspended, so others need no lookup.
    return account.suspended ? context.services.closings.of(account.id) : null;
  }

  @Access('owner', 'session')
  @Query(() => ClosingConsequences, { description: 'What closing the account would end.' })
  async closingConsequences(@Ctx() context: GraphqlContext): Promise<ClosingConsequences> {
    const found = await context.services.closings.consequences(accountIdIn(context));
    return {
      videos: found.videos,
      storedBytes: Number(found.storedBytes),
      apiKeys: found.keys,
      webhookEndpoints: found.webhookEndpoints,
      jobs: found.jobs,
      refund: found.refundMicros,
      lapsing: found.lapsingMicros,
      debt: found.debtMicros,
    };
  }

  @Access('active', 'session', 'second factor')
  @Mutation(() => AccountClosing, {
    description:
      'Closes the account: videos no longer play, keys are revoked, sessions end, and the balance is refunded by the rules of refunds. For 30 days it can be reopened; then its data is erased. With two-factor authentication, the session must have passed it.',
  })
  closeAccount(
    @Ctx() context: GraphqlContext,
    @Arg('email', () => String, { description: 'The email address of the account, typed to confirm.' }) email: string,
    @Arg('password', () => String) password: string,
  ): Promise<AccountClosing> {
    return context.services.closings.close(viewerIn(context), { email, password });
  }

  @Access('owner')
  @Mutation(() => Account, {
    description: 'Reopens a closed account. Keys stay revoked, and webhook endpoints stay disabled.',
  })
  async reopenAccount(@Ctx() context: GraphqlContext): Promise<Account> {
    const viewer = viewerIn(context);
    await context.services.closings.reopen(viewer);
    return { id: viewer.accountId, suspended: false };
  }
}
