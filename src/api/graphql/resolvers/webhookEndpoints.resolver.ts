import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import type { EventType as EventTypeName } from '../../../domain/shared/events/eventTypes.js';
import type { DeliveryState } from '../../../domain/accounts/webhooks/delivery.sql.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext, viewerIn } from '../context.js';
import { DateTime } from '../scalars/dateTime.js';
import { EventType } from '../types/event.js';
import {
  CreatedWebhookEndpoint,
  UpdateWebhookEndpointInput,
  WebhookAttemptConnection,
  WebhookEndpointDelivery,
  WebhookEndpointDeliveryConnection,
  WebhookDeliveryState,
  WebhookEndpoint,
  type WebhookAttempt,
} from '../types/webhook.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { TestWebhookFault } from '../types/testFault.js';
import type { Attempt, Delivery, Endpoint } from '../../../domain/accounts/webhooks/webhookRecords.js';

@Resolver()
export class WebhookEndpointsResolver {
  @Access('owner')
  @Query(() => [WebhookEndpoint], { description: 'Oldest first.' })
  async webhookEndpoints(@Ctx() context: GraphqlContext): Promise<WebhookEndpoint[]> {
    return (await context.services.webhooks.list(accountIdIn(context))).map(webhookEndpointView);
  }

  @Access('owner')
  @Query(() => WebhookEndpointDeliveryConnection, { description: 'Newest first.' })
  async webhookDeliveries(
    @Ctx() context: GraphqlContext,
    @Arg('endpointId', () => ID) endpointId: string,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
    @Arg('state', () => WebhookDeliveryState, { nullable: true }) state: WebhookDeliveryState | null | undefined,
  ): Promise<WebhookEndpointDeliveryConnection> {
    const page = {
      first: pageSize(first) + 1,
      after: after ?? null,
      state: (state ?? null) as DeliveryState | null,
    };
    const rows = await context.services.webhooks.deliveries(accountIdIn(context), endpointId, page);
    return connectionOfRows(
      rows.map((row) => ({ ...row, cursor: row.id })),
      first,
      webhookDeliveryView,
    );
  }

  @Access('owner')
  @Query(() => WebhookAttemptConnection, { description: 'Attempts of one delivery, newest first.' })
  async webhookAttempts(
    @Ctx() context: GraphqlContext,
    @Arg('endpointId', () => ID) endpointId: string,
    @Arg('deliveryId', () => ID) deliveryId: string,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<WebhookAttemptConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const rows = await context.services.webhooks.attempts(accountIdIn(context), endpointId, deliveryId, page);
    return connectionOfRows(rows, first, webhookAttemptView);
  }

  @Access('verified', 'manage')
  @Mutation(() => CreatedWebhookEndpoint, {
    description: 'At most 20. The URL begins with https:// and leads to a public server.',
  })
  async createWebhookEndpoint(
    @Ctx() context: GraphqlContext,
    @Arg('url', () => String) url: string,
    @Arg('description', () => String, { defaultValue: '' }) description: string,
    @Arg('eventTypes', () => [EventType], { nullable: true, description: 'All if left out.' })
    eventTypes: EventTypeName[] | null | undefined,
    @Arg('testFault', () => TestWebhookFault, { nullable: true, description: 'Test mode only.' })
    testFault: TestWebhookFault | null | undefined,
  ): Promise<CreatedWebhookEndpoint> {
    const input = { url, description, eventTypes: eventTypes ?? null };
    const { endpoint, secret } = await context.services.webhooks.create(
      accountIdIn(context),
      input,
      viewerIn(context).userId,
      testFault ?? null,
    );
    return { endpoint: webhookEndpointView(endpoint), secret };
  }

  @Access('verified', 'manage')
  @Mutation(() => WebhookEndpoint)
  async updateWebhookEndpoint(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateWebhookEndpointInput) input: UpdateWebhookEndpointInput,
  ): Promise<WebhookEndpoint> {
    const { url, description, eventTypes } = input;
    const { accountId, userId } = viewerIn(context);
    const changes = {
      ...(url == null ? {} : { url }),
      ...(description == null ? {} : { description }),
      ...(eventTypes === undefined ? {} : { eventTypes: eventTypes as EventTypeName[] | null }),
    };
    return webhookEndpointView(await context.services.webhooks.update(accountId, id, changes, userId));
  }

  @Access('active', 'manage')
  @Mutation(() => WebhookEndpoint, {
    description:
      'Enables or disables an endpoint. Deliveries that were waiting when it was disabled are sent once it is enabled again.',
  })
  async setWebhookEndpointEnabled(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('enabled', () => Boolean) enabled: boolean,
  ): Promise<WebhookEndpoint> {
    const { accountId, userId } = viewerIn(context);
    return webhookEndpointView(await context.services.webhooks.setEnabled(accountId, id, enabled, userId));
  }

  @Access('active', 'manage')
  @Mutation(() => ID, { description: 'Deletes its secrets and its log, too. Returns the id.' })
  async deleteWebhookEndpoint(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<string> {
    await context.services.webhooks.delete(accountIdIn(context), id, viewerIn(context).userId);
    return id;
  }

  @Access('verified', 'manage')
  @Mutation(() => CreatedWebhookEndpoint, {
    description: 'Creates a new secret. The previous one also signs for `previousValidHours`.',
  })
  async rotateWebhookSecret(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('previousValidHours', () => Int, { defaultValue: 24, description: '0 to 168.' }) previousValidHours: number,
  ): Promise<CreatedWebhookEndpoint> {
    const { webhooks } = context.services;
    const { accountId, userId } = viewerIn(context);
    const secret = await webhooks.rotateSecret(accountId, id, previousValidHours, userId);
    return { endpoint: webhookEndpointView(await webhooks.get(accountId, id)), secret };
  }

  @Access('active', 'manage')
  @Mutation(() => WebhookEndpointDelivery, {
    description: 'Sends an event of the type `webhook.test` to this endpoint alone.',
  })
  async testWebhookEndpoint(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
  ): Promise<WebhookEndpointDelivery> {
    return webhookDeliveryView(await context.services.webhooks.test(accountIdIn(context), id));
  }

  @Access('active', 'manage')
  @Mutation(() => WebhookEndpointDelivery, { description: 'Sends one delivery again, immediately.' })
  async replayWebhookDelivery(
    @Ctx() context: GraphqlContext,
    @Arg('endpointId', () => ID) endpointId: string,
    @Arg('deliveryId', () => ID) deliveryId: string,
  ): Promise<WebhookEndpointDelivery> {
    const { accountId, userId } = viewerIn(context);
    return webhookDeliveryView(await context.services.webhooks.replay(accountId, endpointId, deliveryId, userId));
  }

  @Access('active', 'manage')
  @Mutation(() => Int, {
    description:
      'Sends the events of a period again, in order, including those from before the endpoint existed and while it was ' +
      'disabled. At most 10,000. Returns how many.',
  })
  async replayWebhookDeliveries(
    @Ctx() context: GraphqlContext,
    @Arg('endpointId', () => ID) endpointId: string,
    @Arg('since', () => DateTime) since: Date,
    @Arg('until', () => DateTime, { description: 'Exclusive.' }) until: Date,
    @Arg('includeDelivered', () => Boolean, { defaultValue: false, description: 'Also those that were delivered.' })
    includeDelivered: boolean,
  ): Promise<number> {
    const range = { since, until, includeDelivered };
    return context.services.webhooks.replayRange(accountIdIn(context), endpointId, range, viewerIn(context).userId);
  }
}

function webhookEndpointView(endpoint: Endpoint): WebhookEndpoint {
  const { id, url, description, eventTypes, disabled, failingSince, createdAt, previousSecretEndsAt } = endpoint;
  return {
    id,
    url,
    description,
    eventTypes,
    disabledReason: disabled?.reason ?? null,
    disabledAt: disabled?.at ?? null,
    failingSince,
    createdAt,
    previousSecretEndsAt,
  };
}

function webhookDeliveryView(delivery: Delivery): WebhookEndpointDelivery {
  const { id, eventId, type, state, attempts, createdAt, nextAttemptAt, lastStatus, lastError } = delivery;
  return { id, eventId, eventType: type, state, attempts, createdAt, nextAttemptAt, lastStatus, lastError };
}

function webhookAttemptView(attempt: Attempt): WebhookAttempt {
  const { id, createdAt, url, status, error, durationMs, answer: responseBody } = attempt;
  return { id, createdAt, url, status, error, durationMs, responseBody };
}
