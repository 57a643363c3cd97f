import { Arg, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { Credits } from '../scalars/credits.js';
import { InviteeConnection, ReferralCodeCheck, Referrals } from '../types/referral.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { inviteeView, referralsView } from '../views/referralView.js';

@Resolver(() => Referrals)
export class ReferralsResolver {
  @Access('owner')
  @Query(() => Referrals)
  async referrals(@Ctx() context: GraphqlContext): Promise<Referrals> {
    return referralsView(await context.services.referrals.overview(accountIdIn(context)));
  }

  @FieldResolver(() => InviteeConnection, { description: 'Newest first.' })
  async invitees(
    @Root() referrals: Referrals,
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<InviteeConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const invitees = await context.services.referrals.invitees(referrals.accountId, page);
    return connectionOfRows(invitees, first, inviteeView);
  }

  @FieldResolver(() => Credits, {
    nullable: true,
    description: 'The bonus on your own first top-up, if you signed up with a code; otherwise null.',
  })
  async ownBonus(@Root() referrals: Referrals, @Ctx() context: GraphqlContext): Promise<bigint | null> {
    return context.services.referrals.ownBonusMicros(referrals.accountId);
  }

  @Access('public')
  @Query(() => ReferralCodeCheck, { description: 'For a sign-up form. Case, spaces and dashes do not matter.' })
  async referralCode(
    @Ctx() context: GraphqlContext,
    @Arg('code', () => String) code: string,
  ): Promise<ReferralCodeCheck> {
    return { valid: await context.services.referrals.isValidCode(code) };
  }
}
