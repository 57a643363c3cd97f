import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';

import { accountIdIn, type GraphqlContext } from '../context.js';
import { CreditNote } from '../types/billing.js';
import { TopUp } from '../types/topUp.js';
import { creditNoteView, receiptUrl } from '../views/billingView.js';

/** Downloads that belong to a top-up. */
@Resolver(() => TopUp)
export class TopUpDocumentsResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'The receipt or tax invoice (PDF), with the same session; null until it is credited.',
  })
  receiptUrl(@Root() topUp: TopUp): string | null {
    return topUp.creditedAt === null ? null : receiptUrl(topUp.id);
  }

  @FieldResolver(() => [CreditNote], { description: 'One per processed refund. Only on the viewer’s own top-ups.' })
  async creditNotes(@Root() topUp: TopUp, @Ctx() context: GraphqlContext): Promise<CreditNote[]> {
    const refunds = await context.loaders.creditNotes.load({ accountId: accountIdIn(context), uuid: topUp.id });
    return refunds.map((refund) => creditNoteView(topUp.id, refund));
  }
}
