import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { ApiKey, CreatedApiKey } from '../types/apiKey.js';
import { apiKeyView } from '../views/apiKeyView.js';

@Resolver()
export class ApiKeysResolver {
  @Access('owner')
  @Query(() => [ApiKey], { description: 'Newest first, revoked ones included.' })
  async apiKeys(@Ctx() context: GraphqlContext): Promise<ApiKey[]> {
    return (await context.services.keys.list(accountIdIn(context))).map(apiKeyView);
  }

  @Access('verified')
  @Mutation(() => CreatedApiKey)
  async createApiKey(@Ctx() context: GraphqlContext, @Arg('name', () => String) name: string): Promise<CreatedApiKey> {
    const { key, record } = await context.services.keys.create(accountIdIn(context), { name });
    return { key, apiKey: apiKeyView(record) };
  }

  @Access('active')
  @Mutation(() => ApiKey)
  async renameApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('name', () => String) name: string,
  ): Promise<ApiKey> {
    return apiKeyView(await context.services.keys.rename(accountIdIn(context), id, name));
  }

  @Access('owner')
  @Mutation(() => ApiKey, { description: 'Acts on the very next request. It cannot be undone.' })
  async revokeApiKey(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<ApiKey> {
    return apiKeyView(await context.services.keys.revoke(accountIdIn(context), id));
  }
}
