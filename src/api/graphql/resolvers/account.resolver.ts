import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root, Query } from 'type-graphql';

import { assertNotOver } from '../../../domain/operations/support/ownerView.service.js';
import { Access } from '../access.js';
import { accountIdIn, viewerIn, type GraphqlContext } from '../context.js';
import { Account, Viewer } from '../types/viewer.js';
import { viewerView } from '../views/viewerView.js';

@Resolver(() => Account)
export class AccountResolver {
  @FieldResolver(() => [String], { description: 'The sites its videos may play on; empty for every site.' })
  allowedDomains(@Root() account: Account, @Ctx() context: GraphqlContext): Promise<string[]> {
    // `viewer` is answered even when a view is over, so that the page can say whose account it was. This field is not.
    assertNotOver(viewerIn(context).view);
    return context.services.accounts.allowedDomains(account.id);
  }

  @Access('active', 'manage')
  @Mutation(() => Account, {
    description: 'Narrows playback to these sites: "example.com", "*.example.com". An empty list allows every site.',
  })
  async setAllowedDomains(
    @Ctx() context: GraphqlContext,
    @Arg('domains', () => [String]) domains: string[],
  ): Promise<Account> {
    await context.services.accounts.setAllowedDomains(accountIdIn(context), domains);
    return viewerView(viewerIn(context)).account;
  }
}

@Resolver()
export class ViewerResolver {
  @Access('public')
  @Query(() => Viewer, { nullable: true, description: 'Null if not signed in.' })
  viewer(@Ctx() context: GraphqlContext): Viewer | null {
    return context.viewer && viewerView(context.viewer);
  }
}
