import { readdirSync, readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { openApiDocument } from '../../src/api/rest/docs/openapi.js';
import { eventSchemaPath } from '../../src/domain/shared/events/eventSchemas.js';
import { ALL_EVENT_TYPES, graphqlNameOf } from '../../src/domain/shared/events/eventTypes.js';

/** What owners were promised at first. A type is added, never renamed or removed. */
const PROMISED = [
  'video.uploaded',
  'video.playable',
  'video.ready',
  'video.failed',
  'video.deleted',
  'wallet.low',
  'wallet.runway_short',
  'topup.credited',
  'refund.booked',
  'dispute.opened',
  'referral.rewarded',
  'referral.reversed',
  'quota.warning',
  'quota.reached',
  'storage.arrears',
  'key.created',
  'key.revoked',
  'quota.changed',
];
/** Came with the bin. */
const ADDED = ['video.restored'];

const PUBLIC_URL = 'https://video.example';
const read = (path: string): string => readFileSync(path, 'utf8');
/** Every type with the path of its schema, sorted. */
const definition = ALL_EVENT_TYPES.map((type) => `${type} ${eventSchemaPath(type)}`).toSorted();

it('the event types are those that were promised, and what was added since', () => {
  expect(ALL_EVENT_TYPES.toSorted()).toEqual([...PROMISED, ...ADDED].toSorted());
});

it('the published JSON Schemas are those of the event types, each under its type', () => {
  const folder = 'src/dashboard/public/schemas/events';
  const published = readdirSync(folder).map((file) => {
    const schema = JSON.parse(read(`${folder}/${file}`)) as {
      $id: string;
      properties: { type: { const: string } };
    };
    expect(schema.$id).toBe(`/schemas/events/${file}`);
    return `${schema.properties.type.const} ${schema.$id}`;
  });
  expect(published.toSorted()).toEqual(definition);
});

it('the pages of the documentation list the same events and schemas', () => {
  const events = JSON.parse(read('src/dashboard/generated/events.json')) as { type: string; schema: string }[];
  expect(events.map(({ type, schema }) => `${type} ${schema}`).toSorted()).toEqual(definition);
  const table = [...read('docs/webhooks.md').matchAll(/^\| `([\w.]+)` \| .+ \| `(\/schemas\/\S+)` \|$/gm)];
  expect(table.map(([, type, schema]) => `${type} ${schema}`).toSorted()).toEqual(definition);
});

it('the OpenAPI document lists the same events and links to the same schemas', () => {
  const { webhooks } = openApiDocument(PUBLIC_URL);
  const listed = Object.entries(webhooks).map(
    ([type, { post }]) => `${type} ${post.externalDocs.url.replace(PUBLIC_URL, '')}`,
  );
  expect(listed.toSorted()).toEqual(definition);
});

it('GraphQL and the client have a type for each event', () => {
  const [, names = ''] = /^enum EventType \{\n([^}]*)\}/m.exec(read('schema.graphql'))!;
  expect(names.trim().split(/\s+/).toSorted()).toEqual(ALL_EVENT_TYPES.map(graphqlNameOf).toSorted());
  const types = [...read('src/client/generated/events.ts').matchAll(/^ {2}readonly type: '([\w.]+)';$/gm)];
  expect(types.map(([, type]) => type!).toSorted()).toEqual(ALL_EVENT_TYPES.toSorted());
});
