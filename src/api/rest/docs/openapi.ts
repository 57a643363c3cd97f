import { z } from 'zod';

import { listParameters } from '../schemas/listParameters.js';
import { componentSchemas, type JsonSchema } from './components.js';
import type { OpenApiDocument, Parameter } from './openapiTypes.js';
import { operations, TAGS } from './operations.js';
import { webhooks } from './webhooks.js';

const INTRODUCTION = `List your videos and create playback tokens.

Send your API key in \`x-service-key\` from your own server, never from a page. Identify videos by \`vid_…\` or by their \
UUID. Every body has a boolean \`success\`. Errors have \`error.code\`, whose meaning never changes, and \`error.status\`, \
the HTTP status. Another account's video gets the same response as one that does not exist. Every response has an \
\`X-Request-Id\`; if you send one, it is yours. Ignore fields you do not know, because new ones may be added.`;

/** The OpenAPI 3.1 document of /v1 and of webhooks, out of the schemas that parse parameters and type bodies. */
export function openApiDocument(publicUrl: string): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dhara API',
      version: '1',
      description: INTRODUCTION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of this service', url: publicUrl },
    },
    tags: TAGS,
    servers: [{ url: publicUrl }],
    paths: operations(queryParameters()),
    webhooks: webhooks(publicUrl),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-service-key', description: 'An API key of the account' },
      },
      schemas: componentSchemas(),
    },
  };
}

function queryParameters(): Parameter[] {
  const { properties = {} } = z.toJSONSchema(listParameters, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as JsonSchema & { description?: string };
    return { name, in: 'query', required: false, ...(description ? { description } : {}), schema };
  });
}
