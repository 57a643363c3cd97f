import { eventExample, eventSchema, eventSchemaPath } from '../../../domain/shared/events/eventSchemas.js';
import { ALL_EVENT_TYPES, EVENT_TYPES } from '../../../domain/shared/events/eventTypes.js';
import type { OpenApiDocument, WebhookOperation } from './openapiTypes.js';

/** What the service posts to webhook endpoints: every event type, with its schema and where that is published. */
export function webhooks(publicUrl: string): OpenApiDocument['webhooks'] {
  return Object.fromEntries(
    ALL_EVENT_TYPES.map((type) => {
      const { version, description } = EVENT_TYPES[type];
      // The document says which dialect it is written in.
      const { $schema: _dialect, ...schema } = eventSchema(type);
      const post: WebhookOperation = {
        operationId: `on ${type}`.replaceAll(/[ ._]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        summary: type,
        description: `${description} Signed by Standard Webhooks.`,
        security: [],
        externalDocs: {
          description: `JSON Schema of version ${version}`,
          url: `${publicUrl}${eventSchemaPath(type)}`,
        },
        requestBody: {
          required: true,
          content: { 'application/json': { schema, examples: { event: { value: eventExample(type) } } } },
        },
        responses: {
          '2XX': { description: 'Received. Anything else is a failed attempt, which is repeated' },
          410: { description: 'The endpoint is disabled at once' },
        },
      };
      return [type, { post }];
    }),
  );
}
