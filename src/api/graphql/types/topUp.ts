import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';

export const PaymentProviderName = { RAZORPAY: 'razorpay', STRIPE: 'stripe' } as const;
export type PaymentProviderName = (typeof PaymentProviderName)[keyof typeof PaymentProviderName];
registerEnumType(PaymentProviderName, { name: 'PaymentProviderName' });

export const TopUpStatus = { OPENING: 'opening', OPEN: 'open', PAID: 'paid', EXPIRED: 'expired' } as const;
export type TopUpStatus = (typeof TopUpStatus)[keyof typeof TopUpStatus];
registerEnumType(TopUpStatus, {
  name: 'TopUpStatus',
  description:
    'OPENING: the provider could not be reached yet. PAID: the provider has confirmed it, and it is credited.',
});

export const TopUpRefundState = {
  REQUESTED: 'requested',
  REFUSED: 'refused',
  PENDING: 'pending',
  PROCESSED: 'processed',
  FAILED: 'failed',
} as const;
export type TopUpRefundState = (typeof TopUpRefundState)[keyof typeof TopUpRefundState];
registerEnumType(TopUpRefundState, { name: 'TopUpRefundState' });

export const TopUpDisputeState = { OPEN: 'open', WON: 'won', LOST: 'lost' } as const;
export type TopUpDisputeState = (typeof TopUpDisputeState)[keyof typeof TopUpDisputeState];
registerEnumType(TopUpDisputeState, { name: 'TopUpDisputeState' });

@ObjectType({ description: 'A way to pay.' })
export class PaymentProvider {
  @Field(() => PaymentProviderName)
  name!: PaymentProviderName;

  @Field(() => String, { description: 'INR or USD.' })
  currency!: string;

  @Field(() => Boolean, { description: 'True if no real money moves.' })
  sandbox!: boolean;

  @Field(() => String, {
    description: 'The smallest payment that the provider accepts, in the currency; there is no other minimum.',
  })
  minAmount!: string;

  @Field(() => String, { description: 'The largest top-up, in the currency.' })
  maxAmount!: string;

  @Field(() => Credits, {
    nullable: true,
    description: 'What one unit of the currency is worth now; null where there is no current exchange rate.',
  })
  creditsPerUnit!: bigint | null;

  @Field(() => DateTime, { nullable: true, description: 'When the exchange rate held; null for rupees.' })
  rateAsOf!: Date | null;

  @Field(() => Int, { nullable: true, description: 'How long a new top-up can be paid at this rate.' })
  quoteMinutes!: number | null;
}

@ObjectType()
export class CheckoutField {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  value!: string;
}

@ObjectType({ description: 'How a browser reaches the pay page: by a link (GET), or by posting a form (POST).' })
export class Checkout {
  @Field(() => String)
  method!: string;

  @Field(() => String)
  url!: string;

  @Field(() => [CheckoutField])
  fields!: readonly CheckoutField[];
}

@ObjectType()
export class TopUpRefund {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'In the currency of the top-up.' })
  amount!: string;

  @Field(() => TopUpRefundState)
  state!: TopUpRefundState;

  @Field(() => DateTime)
  createdAt!: Date;
}

@ObjectType()
export class TopUpDispute {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'In the currency of the top-up.' })
  amount!: string;

  @Field(() => TopUpDisputeState)
  state!: TopUpDisputeState;

  @Field(() => DateTime)
  createdAt!: Date;
}

@ObjectType({ description: 'Amounts are exact decimal strings of the currency, such as "499.50".' })
export class TopUp {
  @Field(() => ID)
  id!: string;

  @Field(() => PaymentProviderName)
  provider!: PaymentProviderName;

  @Field(() => Boolean, { description: 'True if no real money moves.' })
  sandbox!: boolean;

  @Field(() => TopUpStatus)
  status!: TopUpStatus;

  @Field(() => String)
  currency!: string;

  @Field(() => String)
  amount!: string;

  @Field(() => Credits, { description: 'What it credits, as quoted.' })
  credits!: bigint;

  @Field(() => Credits, { description: 'Credits of one unit of the currency, as quoted.' })
  creditsPerUnit!: bigint;

  @Field(() => DateTime, { nullable: true, description: 'When the exchange rate held; null for rupees.' })
  rateAsOf!: Date | null;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { description: 'Until when it can be paid at this quote.' })
  expiresAt!: Date;

  @Field(() => Checkout, { nullable: true, description: 'While it is open.' })
  checkout!: Checkout | null;

  @Field(() => DateTime, { nullable: true })
  creditedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Since when the provider lists it as paid although its webhook has not arrived. Support is alerted.',
  })
  webhookMissingSince!: Date | null;

  @Field(() => [TopUpRefund], { description: 'Newest first.' })
  refunds!: readonly TopUpRefund[];

  @Field(() => [TopUpDispute])
  disputes!: readonly TopUpDispute[];

  @Field(() => String, { description: 'What can still be refunded; MASTER may hold less.' })
  refundableAmount!: string;
}

@ObjectType()
export class TopUpConnection extends connectionOf('TopUp', () => TopUp) {}
