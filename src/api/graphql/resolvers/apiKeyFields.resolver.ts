import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';

import { AppError } from '../../../errors.js';
import type { GraphqlContext } from '../context.js';
import { ApiKey, ApiKeyDay } from '../types/apiKey.js';

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
    if (days < 1 || days > MAX_DAYS) throw new AppError('INVALID_INPUT', `days: 1 to ${MAX_DAYS}.`);
    return context.loaders.keyDays.load({ accountId: key.accountId, keyId: key.id, days });
  }
}
