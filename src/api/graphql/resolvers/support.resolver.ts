import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { viewerIn, type GraphqlContext } from '../context.js';
import { ApiKey } from '../types/apiKey.js';
import { OwnerView } from '../types/ownerView.js';
import { AuditEntryConnection, SupportAccount } from '../types/support.js';
import { apiKeyView } from '../views/apiKeyView.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { auditEntryView, supportAccountView } from '../views/supportView.js';
import { ownerViewView } from '../views/viewerView.js';

@Resolver()
export class SupportResolver {
  @Access('support')
  @Query(() => [SupportAccount], {
    description:
      'By email address (or its beginning), account id, key prefix, video id, or payment or order id. At most 20.',
  })
  async accounts(
    @Ctx() context: GraphqlContext,
    @Arg('search', () => String) search: string,
  ): Promise<SupportAccount[]> {
    return (await context.services.support.find(search)).map(supportAccountView);
  }

  @Access('support')
  @Query(() => SupportAccount, { nullable: true })
  async account(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<SupportAccount | null> {
    const account = await context.services.support.account(id);
    return account && supportAccountView(account);
  }

  @Access('support')
  @Query(() => AuditEntryConnection, { description: 'Newest first; of one account, or of all.' })
  async auditLog(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID, { nullable: true }) accountId: string | null | undefined,
    @Arg('action', () => String, {
      nullable: true,
      description: 'Such as "wallet.adjust", or "wallet" for all actions that begin with it.',
    })
    action: string | null | undefined,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<AuditEntryConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const filter = { accountId: accountId ?? null, action: action ?? null };
    return connectionOfRows(await context.reads().support.auditLog(filter, page), first, auditEntryView);
  }

  @Access('support')
  @Mutation(() => ApiKey, { description: 'Takes effect with the key’s next token request.' })
  async setApiKeyDailyQuota(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('apiKeyId', () => ID) apiKeyId: string,
    @Arg('dailyQuota', () => Int) dailyQuota: number,
    @Arg('reason', () => String) reason: string,
  ): Promise<ApiKey> {
    const order = { actorId: viewerIn(context).userId, accountId, apiKeyId, dailyQuota, reason };
    return apiKeyView(await context.services.support.setDailyQuota(order));
  }

  @Access('support')
  @Mutation(() => SupportAccount)
  async suspendAccount(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<SupportAccount> {
    const order = { actorId: viewerIn(context).userId, accountId, reason };
    return supportAccountView(await context.services.support.suspend(order));
  }

  @Access('support')
  @Mutation(() => SupportAccount)
  async resumeAccount(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<SupportAccount> {
    const order = { actorId: viewerIn(context).userId, accountId, reason };
    return supportAccountView(await context.services.support.resume(order));
  }

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
