import { Arg, Ctx, ID, Int, Mutation, Query, Resolver, FieldResolver, Root } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { ApiKey, ApiKeyConnection, CreatedApiKey, ApiKeyDay } from '../types/apiKey.js';
import { TestKeyFault } from '../types/testFault.js';
import { apiKeyView } from '../views/apiKeyView.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { AppError } from '../../../errors.js';

@Resolver()
export class ApiKeysResolver {
  @Access('owner')
  @Query(() => [ApiKey], { description: 'Newest first: all live keys, and the 20 that were revoked last.' })
  async apiKeys(@Ctx() context: GraphqlContext): Promise<ApiKey[]> {
    return (await context.services.keys.list(accountIdIn(context))).map(apiKeyView);
  }

  @Access('owner')
  @Query(() => ApiKeyConnection, { description: 'Last revoked first. An account keeps its newest 100.' })
  async revokedApiKeys(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<ApiKeyConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const keys = await context.services.keys.listRevoked(accountIdIn(context), page);
    return connectionOfRows(
      keys.map((key) => ({ ...key, cursor: key.id })),
      first,
      apiKeyView,
    );
  }

  @Access('verified', 'manageInTestMode')
  @Mutation(() => CreatedApiKey, {
    description:
      'At most 20 live keys, and 100 created a day. Tokens that revoked keys created today count against the new key. An access token creates test keys only.',
  })
  async createApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('name', () => String) name: string,
    @Arg('testFault', () => TestKeyFault, { nullable: true, description: 'Test mode only.' })
    testFault: TestKeyFault | null | undefined,
  ): Promise<CreatedApiKey> {
    const { key, record } = await context.services.keys.create(accountIdIn(context), { name, testFault });
    return { key, apiKey: apiKeyView(record) };
  }

  @Access('active', 'manage')
  @Mutation(() => ApiKey)
  async renameApiKey(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('name', () => String) name: string,
  ): Promise<ApiKey> {
    return apiKeyView(await context.services.keys.rename(accountIdIn(context), id, name));
  }

  @Access('owner', 'manage')
  @Mutation(() => ApiKey, { description: 'Takes effect with the next request, and can’t be undone.' })
  async revokeApiKey(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<ApiKey> {
    return apiKeyView(await context.services.keys.revoke(accountIdIn(context), id));
  }
}

const MAX_DAYS = 90;

/** Fields of a key from other tables, loaded together for all keys of a request. */
@Resolver(() => ApiKey)
export class ApiKeyFieldsResolver {
  @FieldResolver(() => [ApiKeyDay], { description: 'Days with tokens, oldest first, today included. 1 to 90 days.' })
  async usage(
    @Root() key: ApiKey,
    @Ctx() context: GraphqlContext,
    @Arg('days', () => Int, { defaultValue: 30 }) days: number,
  ): Promise<ApiKeyDay[]> {
    if (days < 1 || days > MAX_DAYS) throw new AppError('INVALID_INPUT', `days is 1 to ${MAX_DAYS}.`);
    return context.loaders.keyDays.load({ accountId: key.accountId, keyId: key.id, days });
  }
}
