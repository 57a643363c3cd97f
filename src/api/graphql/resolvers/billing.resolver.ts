import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { Credits } from '../scalars/credits.js';
import { BillingDetails, BillingDetailsInput, Statement } from '../types/billing.js';
import { Wallet } from '../types/wallet.js';
import { statementView } from '../views/billingView.js';
import { walletOf } from './wallet.resolver.js';

@Resolver()
export class BillingResolver {
  @Access('owner')
  @Query(() => [Statement], {
    description: 'Newest first: every month since the account was opened, this one included.',
  })
  async statements(@Ctx() context: GraphqlContext): Promise<Statement[]> {
    return (await context.services.statements.months(accountIdIn(context))).map(statementView);
  }

  @Access('owner')
  @Query(() => BillingDetails, { nullable: true, description: 'Null until they are set.' })
  billingDetails(@Ctx() context: GraphqlContext): Promise<BillingDetails | null> {
    return context.services.billingDetails.find(accountIdIn(context));
  }

  @Access('active', 'money')
  @Mutation(() => BillingDetails, {
    description: 'Replaces all billing details. Issued documents do not change.',
  })
  setBillingDetails(
    @Ctx() context: GraphqlContext,
    @Arg('details', () => BillingDetailsInput) details: BillingDetailsInput,
  ): Promise<BillingDetails> {
    const { legalName, addressLines, country, stateCode = null, gstin = null, email = null } = details;
    const given = { legalName, addressLines, country, stateCode, gstin, email };
    return context.services.billingDetails.set(accountIdIn(context), given);
  }

  @Access('active', 'money')
  @Mutation(() => Wallet, {
    description:
      'Sets the alert threshold: an email is sent when MASTER, CREATIVE and CLOUD together fall below it. If they are ' +
      'below a new threshold and were not below the last one, it is sent at once, but at most once an hour. Null turns ' +
      'it off.',
  })
  async setLowBalanceWarning(
    @Ctx() context: GraphqlContext,
    @Arg('credits', () => Credits, { nullable: true }) credits: bigint | null | undefined,
  ): Promise<Wallet> {
    const accountId = accountIdIn(context);
    await context.services.lowBalance.setThreshold(accountId, credits ?? null);
    return walletOf(context, accountId);
  }
}

@Resolver(() => Wallet)
export class WalletBillingResolver {
  @FieldResolver(() => Credits, {
    nullable: true,
    description:
      'An email is sent when MASTER, CREATIVE and CLOUD together fall below this many credits; null for never.',
  })
  lowBalanceWarning(@Root() wallet: Wallet, @Ctx() context: GraphqlContext): Promise<bigint | null> {
    return context.services.lowBalance.thresholdMicros(wallet.accountId);
  }
}
