import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { buildGraphqlSchema } from '../../../src/api/graphql/schema.js';
import { IS_FULL } from '../../support/effort.js';
import fc from '../../support/properties.js';
import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

/**
 * Words of libraries: zod, drivers, MikroORM, PostgreSQL, JavaScript. GraphQL's own messages ("Cannot query field",
 * "Variable "$first" got invalid value") are allowed: they are about the caller's operation.
 */
const LIBRARY_WORDS = [
  /expected \w+, received/i,
  /\binvalid input: /i,
  /invalid input syntax|syntax error at or near|violates|duplicate key|out of range for type|invalid byte sequence/i,
  /relation "|column "|null value in/i,
  /zod|mikro-?orm|better-auth|pg-boss|postgres|kysely|knex/i,
  /\b(Type|Range|Reference|Syntax|Aggregate|Zod|Driver)\w*(Error|Exception)\b/,
  /is not a function|is not iterable|cannot read propert|cannot convert|undefined|\[object/i,
  /\bat \S+ \(|node_modules|\/src\/|\.[jt]s:\d/,
  /ECONN|ENOENT|ETIMEDOUT/,
];

const schema = buildGraphqlSchema();
const operations = (['query', 'mutation'] as const).flatMap((kind) => {
  const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(type!.getFields()).map((field) => ({ kind, field }));
});

let service: GraphqlService;
let staff: Client;
let owner: Client;

beforeAll(async () => {
  const plenty = { capacity: 1e9, perSecond: 1e9, maxCallers: 100 };
  service = await GraphqlService.start({ production: true, budgets: { perAccount: plenty } });
  staff = await service.signedIn('staff@example.com', 'support');
  owner = await service.signedIn('owner@example.com');
});
afterAll(() => service.stop());

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '-1',
    '1e400',
    'null',
    "'; drop table video; --",
    '٣',
    '\uD800',
    '2026-02-30',
    'vid_1',
  ),
  fc.constantFrom('9'.repeat(400), 'x'.repeat(3_000)),
  fc.constant(null).map(() => newId()),
);
const anything: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.maxSafeInteger(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('id', 'title', '__proto__', 'constructor'), text, { maxKeys: 2 }),
);

/** Mostly values of the right type with odd contents, which get as far as possible. */
function valueFor(type: GraphQLInputType): fc.Arbitrary<unknown> {
  const nullable = getNullableType(type);
  const right = isListType(nullable)
    ? fc.array(valueFor(nullable.ofType), { maxLength: 3 })
    : isInputObjectType(nullable)
      ? fc.record(
          Object.fromEntries(Object.values(nullable.getFields()).map((part) => [part.name, valueFor(part.type)])),
        )
      : isEnumType(nullable)
        ? fc.constantFrom(...nullable.getValues().map(({ name }) => name))
        : nullable.toString() === 'Int'
          ? fc.oneof(fc.constantFrom(0, -1, 1, 101, 2_147_483_647, -2_147_483_648), fc.integer())
          : nullable.toString() === 'Boolean'
            ? fc.boolean()
            : text;
  return fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: anything });
}

function operationOf({ kind, field }: (typeof operations)[number]): string {
  const named = (of: (arg: GraphQLArgument) => string) => field.args.map(of).join(', ');
  const declared = field.args.length === 0 ? '' : `(${named(({ name, type }) => `$${name}: ${type.toString()}`)})`;
  const given = field.args.length === 0 ? '' : `(${named(({ name }) => `${name}: $${name}`)})`;
  const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  return `${kind} ${declared} { ${field.name}${given}${selection} }`;
}

/** Operations that end sessions would end the test's own. */
const tried = operations.filter(({ field }) => !/session/i.test(field.name));

it.each(tried)('$kind $field.name reports errors in our own words', async (operation) => {
  const { args } = operation.field;
  const variables = fc.record(Object.fromEntries(args.map(({ name, type }) => [name, valueFor(type)])));
  const query = operationOf(operation);
  await fc.assert(
    fc.asyncProperty(variables, fc.boolean(), async (values, asStaff) => {
      const reply = await (asStaff ? staff : owner).ask(query, values);
      for (const { message, extensions } of reply.errors) {
        // Quotes of what was sent are removed; the rest must be ours.
        const ours = message.replaceAll(/"(?:[^"\\]|\\.)*"?|\{.*\}/gsu, '""');
        for (const words of LIBRARY_WORDS) expect(ours).not.toMatch(words);
        expect(extensions['code']).not.toBe('INTERNAL_ERROR');
      }
    }),
    { numRuns: args.length === 0 ? 1 : IS_FULL ? 100 : 6 },
  );
});
