import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';
import { EventType } from './event.js';

export enum WebhookDisabledReason {
  OWNER = 'owner',
  GONE = 'gone',
  FAILING = 'failing',
}
registerEnumType(WebhookDisabledReason, {
  name: 'WebhookDisabledReason',
  valuesConfig: {
    OWNER: { description: 'Disabled by its owner.' },
    GONE: { description: 'It responded with 410.' },
    FAILING: {
      description: 'Every attempt failed for three days in which none was more than 28 hours after the one before.',
    },
  },
});

export enum WebhookDeliveryState {
  PENDING = 'pending',
  SUCCEEDED = 'succeeded',
  FAILED = 'failed',
}
registerEnumType(WebhookDeliveryState, {
  name: 'WebhookDeliveryState',
  valuesConfig: {
    PENDING: { description: 'Waiting for its next attempt.' },
    SUCCEEDED: { description: 'The server responded with 2xx.' },
    FAILED: { description: 'Given up after ten attempts.' },
  },
});

@ObjectType({ description: 'A URL that events are posted to.' })
export class WebhookEndpoint {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  url!: string;

  @Field(() => String)
  description!: string;

  @Field(() => [EventType], { nullable: true, description: 'Null: all types, including future ones.' })
  eventTypes!: readonly string[] | null;

  @Field(() => WebhookDisabledReason, { nullable: true, description: 'Null while it is enabled.' })
  disabledReason!: string | null;

  @Field(() => DateTime, { nullable: true })
  disabledAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The first failure since the last success, or since 28 hours without an attempt.',
  })
  failingSince!: Date | null;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'Until then, the previous secret signs as well.' })
  previousSecretEndsAt!: Date | null;
}

@ObjectType()
export class CreatedWebhookEndpoint {
  @Field(() => WebhookEndpoint)
  endpoint!: WebhookEndpoint;

  @Field(() => String, { description: '`whsec_…`. It is shown only once.' })
  secret!: string;
}

@ObjectType({ description: 'One event for one endpoint. Kept as long as its event.' })
export class WebhookEndpointDelivery {
  @Field(() => ID)
  id!: string;

  @Field(() => ID, { description: '`evt_…`: the header `webhook-id` of every attempt.' })
  eventId!: string;

  @Field(() => String, { description: 'As in the payload, such as `video.ready`; `webhook.test` for a test.' })
  eventType!: string;

  @Field(() => WebhookDeliveryState)
  state!: string;

  @Field(() => Int, { description: 'Since it was written or replayed.' })
  attempts!: number;

  @Field(() => DateTime, { description: 'When the event happened.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true })
  nextAttemptAt!: Date | null;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the last attempt; null if there was no response.' })
  lastStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed.' })
  lastError!: string | null;
}

@ObjectType()
export class WebhookEndpointDeliveryConnection extends connectionOf(
  'WebhookEndpointDelivery',
  () => WebhookEndpointDelivery,
) {}

@ObjectType()
export class WebhookAttempt {
  @Field(() => ID)
  id!: string;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => String)
  url!: string;

  @Field(() => Int, { nullable: true, description: 'Null if there was no response.' })
  status!: number | null;

  @Field(() => String, { nullable: true, description: 'Why it failed; null for a success.' })
  error!: string | null;

  @Field(() => Int)
  durationMs!: number;

  @Field(() => String, { description: 'The first 2 KB.' })
  responseBody!: string;
}

@ObjectType()
export class WebhookAttemptConnection extends connectionOf('WebhookAttempt', () => WebhookAttempt) {}

@InputType()
export class UpdateWebhookEndpointInput {
  @Field(() => String, { nullable: true, description: 'Left out: unchanged.' })
  url?: string | null;

  @Field(() => String, { nullable: true, description: 'Left out: unchanged.' })
  description?: string | null;

  @Field(() => [EventType], { nullable: true, description: 'Left out: unchanged. Null: all.' })
  eventTypes?: readonly string[] | null;
}
