import { Ctx, Mutation, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';

@Resolver()
export class TestModeResolver {
  @Access('active', 'manage')
  @Mutation(() => Boolean, {
    description:
      'Test mode only. Writes a `dispute.opened` event with example data, and sends it to webhook endpoints.',
  })
  async simulatePaymentDispute(@Ctx() context: GraphqlContext): Promise<boolean> {
    await context.services.testMode.simulatePaymentDispute(accountIdIn(context));
    return true;
  }
}
