import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { viewerIn, type GraphqlContext } from '../context.js';
import { OwnerView } from '../types/ownerView.js';
import { ownerViewView } from '../views/viewerView.js';

/** Staff look at an account as its owner sees it. */
@Resolver()
export class OwnerViewsResolver {
  @Access('support')
  @Mutation(() => OwnerView, {
    description:
      'For 30 minutes, this session has the identity of the account’s owner, and may only read. Recorded in the audit trail.',
  })
  async viewAsOwner(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<OwnerView> {
    return ownerViewView(await context.services.ownerViews.begin(viewerIn(context), { accountId, reason }));
  }

  @Access('owner')
  @Mutation(() => Boolean, { description: 'Ends a view as owner, and returns the session to the member of staff.' })
  async endOwnerView(@Ctx() context: GraphqlContext): Promise<boolean> {
    await context.services.ownerViews.end(viewerIn(context));
    return true;
  }
}
