import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { ApiKey, CreatedApiKey } from '../types/apiKey.js';

@Resolver()
export class ApiKeysResolver {
  @Access('owner')
  @Query(() => [ApiKey], { description: 'Newest first, revoked ones included.' })
  async apiKeys(@Ctx() context: GraphqlContext): Promise<ApiKey[]> {
    throw new Error(`not yet ${String([context])}`);
  }

  @Access('verified')
  @Mutation(() => CreatedApiKey)
  async createApiKey(@Ctx() context: GraphqlContext, @Arg('name', () => String) name: string): Promise<CreatedApiKey> {
    throw new Error(`not yet ${String([context, name])}`);
  }

  @Access('active')
  @Mutation(() => ApiKey)
  async renameApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('name', () => String) name: string,
  ): Promise<ApiKey> {
    throw new Error(`not yet ${String([context, id, name])}`);
  }

  @Access('owner')
  @Mutation(() => ApiKey, { description: 'Acts on the very next request. It cannot be undone.' })
  async revokeApiKey(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<ApiKey> {
    throw new Error(`not yet ${String([context, id])}`);
  }
}
