import type { Attempt, Delivery, Endpoint } from '../../../domain/accounts/webhooks/webhookRecords.js';
import type { WebhookAttempt, WebhookEndpointDelivery, WebhookEndpoint } from '../types/webhook.js';

export function webhookEndpointView(endpoint: Endpoint): WebhookEndpoint {
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

export function webhookDeliveryView(delivery: Delivery): WebhookEndpointDelivery {
  const { id, eventId, type, state, attempts, createdAt, nextAttemptAt, lastStatus, lastError } = delivery;
  return { id, eventId, eventType: type, state, attempts, createdAt, nextAttemptAt, lastStatus, lastError };
}

export function webhookAttemptView(attempt: Attempt): WebhookAttempt {
  const { id, createdAt, url, status, error, durationMs, answer: responseBody } = attempt;
  return { id, createdAt, url, status, error, durationMs, responseBody };
}
