import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { ApiKey } from '../types/apiKey.js';
import { AuditEntryConnection, SupportAccount } from '../types/support.js';
import { VideoConnection } from '../types/video.js';
import { Wallet } from '../types/wallet.js';
import { apiKeyView } from '../views/apiKeyView.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { auditEntryView } from '../views/supportView.js';
import { videoConnectionView } from '../views/videoView.js';
import { walletOf } from './wallet.resolver.js';

/** Parts of an account, for staff. Marked again here, so that no path to the type opens it by accident. */
@Resolver(() => SupportAccount)
export class SupportAccountFieldsResolver {
  @Access('support')
  @FieldResolver(() => Wallet)
  async wallet(@Root() account: SupportAccount, @Ctx() context: GraphqlContext): Promise<Wallet> {
    return walletOf(context, account.id);
  }

  @Access('support')
  @FieldResolver(() => [ApiKey])
  async apiKeys(@Root() account: SupportAccount, @Ctx() context: GraphqlContext): Promise<ApiKey[]> {
    return (await context.services.keys.list(account.id)).map(apiKeyView);
  }

  @Access('support')
  @FieldResolver(() => VideoConnection, { description: 'Newest first.' })
  async videos(
    @Root() account: SupportAccount,
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<VideoConnection> {
    return videoConnectionView(await context.reads().videos.list(account.id, { first, after }));
  }

  @Access('support')
  @FieldResolver(() => AuditEntryConnection, { description: 'Newest first.' })
  async auditLog(
    @Root() account: SupportAccount,
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<AuditEntryConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const filter = { accountId: account.id, action: null };
    return connectionOfRows(await context.reads().support.auditLog(filter, page), first, auditEntryView);
  }
}
