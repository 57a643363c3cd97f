import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Client } from '../../support/graphql/client.js';
import { HookServer } from '../../support/webhooks/hookServer.js';
import type { WebhookDeliverer } from '../../../src/domain/accounts/webhooks/deliverer.js';
import { GraphqlService } from './service.js';

const ENDPOINT = 'id url description eventTypes disabledReason disabledAt failingSince createdAt previousSecretEndsAt';
const CREATE = `mutation ($url: String!, $types: [EventType!]) {
  createWebhookEndpoint(url: $url, description: "Shop", eventTypes: $types) { secret endpoint { ${ENDPOINT} } }
}`;
const DELIVERIES = `query ($id: ID!, $first: Int = 20, $after: String, $state: WebhookDeliveryState) {
  webhookDeliveries(endpointId: $id, first: $first, after: $after, state: $state) {
    edges { node { id eventId eventType state attempts createdAt nextAttemptAt lastStatus lastError } }
    pageInfo { hasNextPage endCursor }
  }
}`;

describe('webhooks over GraphQL', () => {
  let service: GraphqlService;
  let owner: Client;
  let hooks: HookServer;
  let deliverer: WebhookDeliverer;

  beforeAll(async () => {
    service = await GraphqlService.start();
    owner = await service.signedIn('owner@example.com');
    hooks = await HookServer.start();
    deliverer = service.deliverWebhooks();
  });
  afterAll(async () => {
    await deliverer?.stop();
    await hooks?.stop();
    await service?.stop();
  });

  const create = async (types?: string[]) =>
    (await owner.data(CREATE, { url: hooks.url, types })).createWebhookEndpoint as {
      secret: string;
      endpoint: { id: string };
    };
  const delivered = async (id: string) => {
    for (;;) {
      const { webhookDeliveries } = await owner.data(DELIVERIES, { id });
      const nodes = webhookDeliveries.edges.map(({ node }: { node: unknown }) => node) as {
        id: string;
        eventType: string;
        state: string;
      }[];
      if (nodes.length > 0 && nodes.every(({ state }) => state === 'SUCCEEDED')) return nodes;
    }
  };

  it('are sent to an endpoint, tested, replayed, and logged with every attempt', async () => {
    const { secret, endpoint } = await create();
    expect(endpoint).toMatchObject({ url: hooks.url, description: 'Shop', eventTypes: null, disabledReason: null });
    const { testWebhookEndpoint: test } = await owner.data(
      `mutation { testWebhookEndpoint(id: "${endpoint.id}") { id eventId eventType } }`,
    );
    expect(test.eventType).toBe('webhook.test');
    await owner.data('mutation { createApiKey(name: "One") { key } }');
    const nodes = await delivered(endpoint.id);
    expect(nodes.map(({ eventType }) => eventType)).toEqual(['key.created', 'webhook.test']);
    for (const { headers, body } of hooks.received) new Webhook(secret).verify(body, headers as Record<string, string>);

    await owner.data(
      `mutation { replayWebhookDelivery(endpointId: "${endpoint.id}", deliveryId: "${nodes[0]!.id}") { state } }`,
    );
    await hooks.until(3);
    await delivered(endpoint.id);
    const { webhookAttempts } = await owner.data(
      `{ webhookAttempts(endpointId: "${endpoint.id}", deliveryId: "${nodes[0]!.id}") {
        edges { node { id createdAt url status error durationMs responseBody } } } }`,
    );
    expect(webhookAttempts.edges).toHaveLength(2);
    expect(webhookAttempts.edges[0].node).toMatchObject({ status: 204, error: null, responseBody: '', url: hooks.url });

    const range = `since: "2020-01-01T00:00:00Z", until: "2100-01-01T00:00:00Z"`;
    const replay = async (extra: string) =>
      (await owner.data(`mutation { replayWebhookDeliveries(endpointId: "${endpoint.id}", ${range}${extra}) }`))
        .replayWebhookDeliveries as number;
    expect(await replay('')).toBe(0);
    expect(await replay(', includeDelivered: true')).toBe(1);
    await delivered(endpoint.id);

    const page = await owner.data(DELIVERIES, { id: endpoint.id, first: 1, state: 'SUCCEEDED' });
    expect(page.webhookDeliveries.pageInfo.hasNextPage).toBe(true);
    const after = page.webhookDeliveries.pageInfo.endCursor;
    const next = await owner.data(DELIVERIES, { id: endpoint.id, first: 1, after });
    expect(next.webhookDeliveries.pageInfo.hasNextPage).toBe(false);
  });

  it('are changed, disabled, given a new secret and deleted', async () => {
    const { secret, endpoint } = await create(['VIDEO_READY']);
    const { updateWebhookEndpoint: changed } = await owner.data(
      `mutation { updateWebhookEndpoint(id: "${endpoint.id}", input: { description: "x" }) { ${ENDPOINT} } }`,
    );
    expect(changed).toMatchObject({ url: hooks.url, description: 'x', eventTypes: ['VIDEO_READY'] });
    const { updateWebhookEndpoint: all } = await owner.data(
      `mutation { updateWebhookEndpoint(id: "${endpoint.id}", input: { eventTypes: null }) { eventTypes description } }`,
    );
    expect(all).toEqual({ eventTypes: null, description: 'x' });
    const { rotateWebhookSecret: rotated } = await owner.data(
      `mutation { rotateWebhookSecret(id: "${endpoint.id}") { secret endpoint { previousSecretEndsAt } } }`,
    );
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.endpoint.previousSecretEndsAt).not.toBeNull();
    const { setWebhookEndpointEnabled: off } = await owner.data(
      `mutation { setWebhookEndpointEnabled(id: "${endpoint.id}", enabled: false) { disabledReason } }`,
    );
    expect(off.disabledReason).toBe('OWNER');
    expect(await owner.code(`mutation { testWebhookEndpoint(id: "${endpoint.id}") { id } }`)).toBe('INVALID_STATE');
    await owner.data(`mutation { deleteWebhookEndpoint(id: "${endpoint.id}") }`);
    expect(await owner.code(`mutation { deleteWebhookEndpoint(id: "${endpoint.id}") }`)).toBe(
      'WEBHOOK_ENDPOINT_NOT_FOUND',
    );
  });

  it('are refused for an address inside', async () => {
    for (const url of ['http://10.0.0.1/', 'https://[::1]/', 'https://0x0a000001/', 'nothing']) {
      expect((await owner.ask(CREATE, { url })).errors[0]!.extensions['code']).toBe('INVALID_INPUT');
    }
  });
});
