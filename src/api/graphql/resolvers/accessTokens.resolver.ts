import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { AppError } from '../../../errors.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext, viewerIn } from '../context.js';
import { AccessToken, AccessTokenScope, CreatedAccessToken } from '../types/accessToken.js';
import type { AccessTokenRecord } from '../../../domain/accounts/accessTokens/accessTokens.service.js';

@Resolver()
export class AccessTokensResolver {
  @Access('owner')
  @Query(() => [AccessToken], { description: 'Valid tokens, newest first.' })
  async accessTokens(@Ctx() context: GraphqlContext): Promise<AccessToken[]> {
    return (await context.services.accessTokens.list(accountIdIn(context))).map(accessTokenView);
  }

  @Access('verified', 'session', 'second factor')
  @Mutation(() => CreatedAccessToken, {
    description: 'At most 20 valid tokens. An access token can’t create another one.',
  })
  async createAccessToken(
    @Ctx() context: GraphqlContext,
    @Arg('name', () => String) name: string,
    @Arg('scopes', () => [AccessTokenScope], { description: 'READ is always included.' }) scopes: AccessTokenScope[],
    @Arg('expiresInDays', () => Int, { nullable: true, description: '1 to 365; null: it does not expire.' })
    expiresInDays: number | null | undefined,
  ): Promise<CreatedAccessToken> {
    const wanted = { name, scopes, expiresInDays: expiresInDays ?? null };
    const { accountId, sessionId } = viewerIn(context);
    if (sessionId === null) throw new Error('@Access has refused whoever has no session.');
    const { token, record } = await context.services.accessTokens.create({ accountId, sessionId }, wanted);
    return { token, accessToken: accessTokenView(record) };
  }

  @Access('owner', 'read')
  @Mutation(() => ID, {
    description: 'Takes effect with the next request. A program can revoke only its own token. Returns the id.',
  })
  async revokeAccessToken(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<string> {
    const { accountId, accessToken } = viewerIn(context);
    if (accessToken !== null && accessToken.id !== id) {
      throw new AppError('FORBIDDEN', 'An access token can only revoke itself.');
    }
    await context.services.accessTokens.revoke(accountId, id);
    return id;
  }
}

function accessTokenView(token: AccessTokenRecord): AccessToken {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes as AccessTokenScope[],
    prefix: token.prefix,
    last4: token.last4,
    createdAt: token.createdAt,
    expiresAt: token.expiresAt,
    lastUsedAt: token.lastUsedAt,
  };
}
