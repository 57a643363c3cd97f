import { z } from 'zod';

import { EVENT_ID, EVENT_TYPES, EXAMPLE_FAILURE, type EventType } from './eventTypes.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where the service publishes the schema of an event type. Old versions stay. */
export function eventSchemaPath(type: EventType): string {
  return `/schemas/events/${type}.v${EVENT_TYPES[type].version}.json`;
}

/** The JSON Schema (2020-12) of a whole event: what webhooks deliver and `payload` in GraphQL contains. */
export function eventSchema(type: EventType): JsonSchema {
  const { version, description, data } = EVENT_TYPES[type];
  const event = z
    .strictObject({
      id: z
        .string()
        .regex(EVENT_ID)
        .meta({ description: 'The same however often the event is delivered.', examples: [EXAMPLE_ID] }),
      type: z.literal(type),
      version: z.literal(version).meta({ description: 'The version of `data`.' }),
      timestamp: z.iso.datetime().meta({ description: 'When it happened.', examples: ['2026-11-24T09:30:00.000Z'] }),
      livemode: z.boolean().meta({ description: 'False for what happened in test mode.', examples: [true] }),
      data,
    })
    .meta({ title: type, description });
  return z.toJSONSchema(event, {
    override: ({ jsonSchema }) => {
      // A version may gain fields, so readers must ignore those that they do not know.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The format says the same, and can be read.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
}

/** An event of this type, made from the examples in its definition. */
export function eventExample(type: EventType): Readonly<Record<string, unknown>> {
  const example = exampleOf(eventSchema(type)) as { data: Record<string, unknown> };
  const overrides = EXAMPLES[type];
  return overrides ? { ...example, data: { ...example.data, ...overrides } } : example;
}

const EXAMPLE_ID = 'evt_0193a1c2b5d07f1e9c3a5b7d9e1f2a4c';

/** Where the examples of the fields would not go together. */
const EXAMPLES: { readonly [Type in EventType]?: Readonly<Record<string, unknown>> } = {
  'video.uploaded': { status: 'uploaded', playableRungs: [], durationSeconds: null },
  'video.playable': { status: 'processing', playableRungs: ['720p', 'audio'] },
  'video.ready': { status: 'ready' },
  'video.failed': {
    status: 'failed',
    playableRungs: [],
    durationSeconds: null,
    failure: EXAMPLE_FAILURE,
  },
  'video.deleted': { status: 'ready', playableRungs: [] },
  'wallet.low': { balance: '48.25', threshold: '50' },
};

function exampleOf(schema: JsonSchema): unknown {
  if ('const' in schema) return schema['const'];
  const [example] = (schema['examples'] ?? schema['enum'] ?? []) as unknown[];
  if (example !== undefined) return example;
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined;
  if (!properties) throw new Error(`no example for ${JSON.stringify(schema)}`);
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, exampleOf(property)]));
}
