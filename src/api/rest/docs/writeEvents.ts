/**
 * `npm run events` writes what others read of the event types: their JSON Schemas, the list in the documentation, and the
 * types of `@dhara/client`. With `--check` it only says which files are stale.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  eventExample,
  eventSchema,
  eventSchemaPath,
  type JsonSchema,
} from '../../../domain/shared/events/eventSchemas.js';
import {
  ALL_EVENT_TYPES,
  EVENT_TYPES,
  graphqlNameOf,
  type EventType,
} from '../../../domain/shared/events/eventTypes.js';
import { typeOf } from './schemaTypes.js';

const SRC = new URL('../../../', import.meta.url);

/** Path below `src`, and text. */
type File = readonly [path: string, text: string];

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Vite copies `public` into the build, so the service serves these files. */
const schemas: File[] = ALL_EVENT_TYPES.map((type) => [
  `dashboard/public${eventSchemaPath(type)}`,
  json({ $id: eventSchemaPath(type), ...eventSchema(type) }),
]);

const names: File = [
  'dashboard/generated/eventTypes.ts',
  [
    '// Written by `npm run events` from the event types. Do not edit.',
    `/** As in payloads, by their names in GraphQL. */`,
    'export const EVENT_TYPES = {',
    ...ALL_EVENT_TYPES.map((type) => `  ${graphqlNameOf(type)}: '${type}',`),
    '} as const;\n',
  ].join('\n'),
];

const reference: File = [
  'dashboard/generated/events.json',
  json(
    ALL_EVENT_TYPES.map((type) => ({
      type,
      version: EVENT_TYPES[type].version,
      description: EVENT_TYPES[type].description,
      schema: eventSchemaPath(type),
      fields: fieldsOf(dataOf(type)),
      example: eventExample(type),
    })),
  ),
];

function dataOf(type: EventType): JsonSchema {
  return (eventSchema(type)['properties'] as Record<string, JsonSchema>)['data']!;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

function fieldsOf(schema: JsonSchema, prefix = ''): Field[] {
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, property]) => {
    const inner = [property, ...((property['anyOf'] ?? []) as JsonSchema[])].find((one) => one['properties']);
    const type = inner
      ? typeOf(property).replace(/\{[^]*\}/, 'object')
      : typeOf(property)
          .replaceAll('readonly ', '')
          .replace(/Readonly<(.*)>/, '$1');
    const description = typeof property['description'] === 'string' ? property['description'] : '';
    const field = { name: `${prefix}${name}`, type, description };
    return [field, ...(inner ? fieldsOf(inner, `${prefix}${name}.`) : [])];
  });
}

const clientName = (type: EventType): string =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;

const client: File = [
  'client/generated/events.ts',
  [
    '/** Written by `npm run events` from the event types. */',
    '',
    '/** An event of the event log, as webhooks deliver it. `type` says what `data` contains. */',
    'export type DharaEvent =',
    `${ALL_EVENT_TYPES.map((type) => `  | ${clientName(type)}`).join('\n')};`,
    '',
    "export type EventType = DharaEvent['type'];",
    ...ALL_EVENT_TYPES.flatMap((type) => [
      '',
      `/** ${EVENT_TYPES[type].description} */`,
      `export interface ${clientName(type)} ${typeOf(eventSchema(type))}`,
    ]),
    '',
  ].join('\n'),
];

const isCheck = process.argv.includes('--check');
for (const [path, wanted] of [...schemas, names, reference, client]) {
  const file = fileURLToPath(new URL(path, SRC));
  if ((await readFile(file, 'utf8').catch(() => '')) === wanted) continue;
  if (isCheck) {
    process.stderr.write(`src/${path} is stale: run \`npm run events\` and commit it.\n`);
    process.exitCode = 1;
  } else {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, wanted);
  }
}
