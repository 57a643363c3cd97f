import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import type {
  TestPayment as PaymentRecord,
  TestWallet as WalletRecord,
} from '../../../domain/payments/testMode/testWallet.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { Credits } from '../scalars/credits.js';
import { TestClock, TestDisputeOutcome, TestPayment, TestWallet } from '../types/testMode.js';

@Resolver()
export class TestModeResolver {
  @Access('owner')
  @Query(() => TestClock, { description: 'Test mode only.' })
  testClock(@Ctx() context: GraphqlContext): Promise<TestClock> {
    return context.services.testClocks.of(accountIdIn(context));
  }

  @Access('owner')
  @Query(() => TestWallet, { description: 'Test mode only.' })
  async testWallet(@Ctx() context: GraphqlContext): Promise<TestWallet> {
    return testWalletView(await context.services.testWallets.wallet(accountIdIn(context)));
  }

  @Access('active', 'manage')
  @Mutation(() => TestClock, {
    description:
      'Test mode only. Moves the clock of test mode forward: tokens and streams expire, daily quotas reset, storage is charged to the test wallet, waiting webhooks and videos are due sooner, and videos age. It can’t be undone.',
  })
  moveTestClock(
    @Ctx() context: GraphqlContext,
    @Arg('seconds', () => Int, { description: '1 to 2,678,400, which are 31 days.' }) seconds: number,
  ): Promise<TestClock> {
    return context.services.testClocks.move(accountIdIn(context), seconds);
  }

  @Access('active', 'manage')
  @Mutation(() => TestPayment, {
    description: 'Test mode only. Simulates a payment and writes `topup.credited`. No money or credits move.',
  })
  async simulatePayment(
    @Ctx() context: GraphqlContext,
    @Arg('amount', () => Credits) amount: bigint,
  ): Promise<TestPayment> {
    return testPaymentView(await context.services.testWallets.pay(accountIdIn(context), amount));
  }

  @Access('active', 'manage')
  @Mutation(() => TestPayment, {
    description:
      'Test mode only. Disputes a simulated payment: writes `dispute.opened`, and holds its amount, or as much of it as the test wallet has.',
  })
  async simulatePaymentDispute(
    @Ctx() context: GraphqlContext,
    @Arg('paymentId', () => ID, {
      nullable: true,
      description:
        'Default: the newest payment without a dispute. If there is none, one of 500 credits is simulated first.',
    })
    paymentId: string | null | undefined,
  ): Promise<TestPayment> {
    const { testWallets } = context.services;
    return testPaymentView(await testWallets.dispute(accountIdIn(context), paymentId ?? null));
  }

  @Access('active', 'manage')
  @Mutation(() => TestPayment, {
    description:
      'Test mode only. Ends a dispute. If it is won, the held amount is released; if it is lost, the payment is taken back.',
  })
  async endPaymentDispute(
    @Ctx() context: GraphqlContext,
    @Arg('paymentId', () => ID) paymentId: string,
    @Arg('outcome', () => TestDisputeOutcome) outcome: TestDisputeOutcome,
  ): Promise<TestPayment> {
    return testPaymentView(await context.services.testWallets.endDispute(accountIdIn(context), paymentId, outcome));
  }
}

function testPaymentView({ id, amountMicros, createdAt, dispute }: PaymentRecord): TestPayment {
  return {
    id,
    amount: amountMicros,
    createdAt,
    dispute: dispute && { id: `test_${dispute.id}`, state: dispute.state, createdAt: dispute.createdAt },
  };
}

function testWalletView(wallet: WalletRecord): TestWallet {
  return {
    available: wallet.availableMicros,
    disputeHold: wallet.disputeHoldMicros,
    debt: wallet.debtMicros,
    payments: wallet.payments.map(testPaymentView),
  };
}
