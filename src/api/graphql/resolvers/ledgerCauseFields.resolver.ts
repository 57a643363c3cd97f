import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { LedgerAccount } from '../types/enums.js';
import { AllocationCause, VideoCause } from '../types/ledgerCause.js';

@Resolver(() => VideoCause)
export class VideoCauseFieldsResolver {
  @FieldResolver(() => String, { nullable: true, description: 'The current state; null for a deleted video.' })
  title(@Root() { accountId, uuid }: VideoCause, @Ctx() context: GraphqlContext): Promise<string | null> {
    return context.loaders.videoTitle.load({ accountId, uuid });
  }
}

@Resolver(() => AllocationCause)
export class AllocationCauseFieldsResolver {
  @FieldResolver(() => LedgerAccount)
  async from(@Root() cause: AllocationCause, @Ctx() context: GraphqlContext): Promise<LedgerAccount> {
    return (await moveOf(cause, context)).from as LedgerAccount;
  }

  @FieldResolver(() => LedgerAccount)
  async to(@Root() cause: AllocationCause, @Ctx() context: GraphqlContext): Promise<LedgerAccount> {
    return (await moveOf(cause, context)).to as LedgerAccount;
  }
}

async function moveOf({ accountId, txId, at }: AllocationCause, context: GraphqlContext) {
  const move = await context.loaders.move.load({ accountId, txId, at });
  if (move === null) throw new Error(`the allocation ${txId} has no entries`);
  return move;
}
