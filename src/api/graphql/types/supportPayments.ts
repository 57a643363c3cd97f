import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';
import { PaymentProviderName, TopUp } from './topUp.js';

export const WebhookStatus = {
  PENDING: 'pending',
  DONE: 'done',
  WAITING: 'waiting',
  IGNORED: 'ignored',
  SUSPENSE: 'suspense',
  FAILED: 'failed',
} as const;
export type WebhookStatus = (typeof WebhookStatus)[keyof typeof WebhookStatus];
registerEnumType(WebhookStatus, {
  name: 'WebhookStatus',
  description: 'WAITING: for its payment. FAILED: retried a few times, then left to staff.',
});

export const SuspenseStatus = { OPEN: 'open', REFUNDED: 'refunded', RESOLVED: 'resolved' } as const;
export type SuspenseStatus = (typeof SuspenseStatus)[keyof typeof SuspenseStatus];
registerEnumType(SuspenseStatus, { name: 'SuspenseStatus' });

@ObjectType({ description: 'A webhook with a valid signature, and how far it was processed.' })
export class WebhookEvent {
  @Field(() => ID)
  id!: string;

  @Field(() => PaymentProviderName)
  provider!: PaymentProviderName;

  @Field(() => String, { description: 'The provider’s id of the event.' })
  eventId!: string;

  @Field(() => String)
  type!: string;

  @Field(() => DateTime, { description: 'By the provider’s clock.' })
  providerCreatedAt!: Date;

  @Field(() => DateTime)
  receivedAt!: Date;

  @Field(() => WebhookStatus)
  status!: WebhookStatus;

  @Field(() => Int)
  attempts!: number;

  @Field(() => String, { nullable: true })
  lastError!: string | null;

  @Field(() => DateTime, { nullable: true })
  nextAttemptAt!: Date | null;

  @Field(() => ID, { nullable: true })
  accountId!: string | null;

  @Field(() => String, { nullable: true })
  paymentId!: string | null;

  @Field(() => String, { nullable: true })
  outcome!: string | null;

  @Field(() => DateTime, { nullable: true })
  processedAt!: Date | null;
}

@ObjectType({ description: 'A webhook with its body. Once the body is redacted, only its facts about money.' })
export class WebhookDelivery extends WebhookEvent {
  @Field(() => String, { description: 'The raw body, byte for byte.' })
  body!: string;
}

@ObjectType()
export class WebhookEventConnection extends connectionOf('WebhookEvent', () => WebhookEvent) {}

@ObjectType({ description: 'A payment that could not be credited.' })
export class SuspenseItem {
  @Field(() => ID)
  id!: string;

  @Field(() => ID, { description: 'The nil UUID if the account is unknown.' })
  accountId!: string;

  @Field(() => PaymentProviderName)
  provider!: PaymentProviderName;

  @Field(() => String)
  paymentId!: string;

  @Field(() => ID, { nullable: true })
  topUpId!: string | null;

  @Field(() => String, { nullable: true })
  orderId!: string | null;

  @Field(() => String, { description: 'In the minor unit of the currency, as reported by the provider.' })
  amountMinor!: string;

  @Field(() => String)
  currency!: string;

  @Field(() => Credits, {
    nullable: true,
    description: 'What was booked; null for a currency without an exchange rate.',
  })
  credits!: bigint | null;

  @Field(() => String)
  reason!: string;

  @Field(() => SuspenseStatus)
  status!: SuspenseStatus;

  @Field(() => String, { nullable: true })
  resolution!: string | null;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true })
  resolvedAt!: Date | null;
}

@ObjectType()
export class SuspenseItemConnection extends connectionOf('SuspenseItem', () => SuspenseItem) {}

@ObjectType({ description: 'A top-up as staff see it.' })
export class SupportTopUp extends TopUp {
  @Field(() => ID)
  accountId!: string;

  @Field(() => String, { nullable: true, description: 'The provider’s order or checkout session.' })
  orderId!: string | null;

  @Field(() => String, { nullable: true, description: 'The provider’s payment that was credited.' })
  paymentId!: string | null;
}

@ObjectType()
export class SupportTopUpConnection extends connectionOf('SupportTopUp', () => SupportTopUp) {}
