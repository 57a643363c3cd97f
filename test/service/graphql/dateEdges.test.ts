import {
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { buildGraphqlSchema } from '../../../src/api/graphql/schema.js';
import { newId } from '../../../src/domain/shared/ids.js';
import type { Client } from '../../support/graphql/client.js';
import { credits } from './parents.js';
import { GraphqlService } from './service.js';

const schema = buildGraphqlSchema();

/** First, last and strange values that the scalars admit. */
const EDGES: Readonly<Record<string, readonly string[]>> = {
  Day: ['0001-01-01', '0001-12-31', '0099-03-01', '1582-10-10', '1969-12-31', '2000-02-29', '9999-12-01', '9999-12-31'],
  DateTime: [
    '0001-01-01T00:00:00Z',
    '0001-01-01T00:00:00.001+00:00',
    '1969-12-31T23:59:59.999Z',
    '2024-02-29T23:59:59-14:00',
    '9999-12-31T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ],
};

interface Place {
  readonly path: string;
  readonly scalar: string;
}

/** A field that takes dates, and the fields that lead to it. */
interface DatedField {
  readonly name: string;
  readonly operation: 'query' | 'mutation';
  readonly way: readonly string[];
  readonly field: GraphQLField<unknown, unknown>;
  readonly dates: readonly Place[];
}

const dated = [...datedFieldsOf('query'), ...datedFieldsOf('mutation')];

let service: GraphqlService;
let owner: Client;
let endpointId: string;
const generous = { capacity: 1e9, perSecond: 1e9, maxCallers: 10 };
beforeAll(async () => {
  service = await GraphqlService.start({
    budgets: { perAddress: generous, quietAddress: generous, quietVisitors: generous, perAccount: generous },
  });
  owner = await service.signedIn('owner@example.com');
  await credits(service, owner.accountId, { masterMicros: 50_000_000n });
  const created = await service.services.webhooks.create(owner.accountId, {
    url: 'http://127.0.0.1:9/',
    description: '',
    eventTypes: null,
  });
  endpointId = created.endpoint.id;
});
afterAll(() => service.stop());

it('every place of the schema that takes a date is found', () => {
  const places = dated.flatMap(({ name, dates }) => dates.map(({ path }) => `${name} ${path}`));
  expect(places).toEqual(
    expect.arrayContaining([
      'spending from',
      'spending to',
      'storage.history from',
      'analytics input.from',
      'topVideos input.to',
      'wallet.entries filter.from',
      'replayWebhookDeliveries since',
      'emptyBin until',
    ]),
  );
});

it.each(dated)('$name answers dates at the edges, or refuses them with a code', async (one) => {
  let answered = 0;
  for (const dates of combinations(one.dates)) {
    for (const choice of enumChoices(one.field)) {
      const text = textOf(one, (place) => dates.get(place)!, choice);
      const reply = await owner.ask(text);
      const codes = reply.errors.map(({ extensions }) => String(extensions['code']));
      expect(reply.status, text).toBeLessThan(500);
      expect(codes, `${text}: ${reply.text}`).not.toContain('INTERNAL_ERROR');
      expect(codes, `the test asks what the schema knows: ${text}: ${reply.text}`).not.toContain(
        'GRAPHQL_VALIDATION_FAILED',
      );
      if (codes.length === 0) answered += 1;
    }
  }
  expect(answered, 'some of them are answered').toBeGreaterThan(0);
});

function datedFieldsOf(operation: 'query' | 'mutation'): DatedField[] {
  const root = operation === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  const found: DatedField[] = [];
  const seen = new Set<string>([root.name]);
  const waiting = [{ type: root, way: [] as string[] }];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    for (const field of Object.values(next.type.getFields())) {
      const dates = field.args.flatMap((arg) => placesIn(arg.name, arg.type));
      const way = [...next.way, field.name];
      if (dates.length > 0) found.push({ name: way.join('.'), operation, way: next.way, field, dates });
      const type = getNamedType(field.type);
      if (operation === 'mutation' || !isObjectType(type) || seen.has(type.name) || field.args.some(isNeeded)) continue;
      seen.add(type.name);
      waiting.push({ type, way });
    }
  }
  return found;
}

function placesIn(path: string, type: GraphQLInputType): Place[] {
  const named = getNamedType(type);
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((input) => placesIn(`${path}.${input.name}`, input.type));
  }
  return named.name in EDGES ? [{ path, scalar: named.name }] : [];
}

function isNeeded(arg: { type: GraphQLInputType; defaultValue?: unknown }): boolean {
  return isNonNullType(arg.type) && arg.defaultValue === undefined;
}

/** Every edge in every place, with every edge in the others. */
function combinations(places: readonly Place[]): Map<string, string>[] {
  let all: Map<string, string>[] = [new Map()];
  for (const { path, scalar } of places) {
    all = all.flatMap((chosen) => EDGES[scalar]!.map((edge) => new Map([...chosen, [path, edge]])));
  }
  return all;
}

/** The nth value of each enumeration that is asked for, until every value was chosen. */
function enumChoices(field: GraphQLField<unknown, unknown>): number[] {
  const sizes = field.args.flatMap((arg) => enumSizes(arg.type));
  return Array.from({ length: Math.max(1, ...sizes) }, (_, n) => n);
}

function enumSizes(type: GraphQLInputType): number[] {
  const named = getNamedType(type);
  if (isEnumType(named)) return [named.getValues().length];
  return isInputObjectType(named) ? Object.values(named.getFields()).flatMap((input) => enumSizes(input.type)) : [];
}

function textOf({ operation, way, field }: DatedField, dateOf: (path: string) => string, choice: number): string {
  const args = field.args
    .map((arg) => ({ arg, value: valueOf(arg.name, arg.type, isNeeded(arg), dateOf, choice) }))
    .filter(({ value }) => value !== null)
    .map(({ arg, value }) => `${arg.name}: ${value}`);
  const asked = `${field.name}(${args.join(', ')})${selectionOf(field.type, 2)}`;
  return `${operation} { ${way.map((name) => `${name} { `).join('')}${asked}${' }'.repeat(way.length)} }`;
}

/** Dates and enumerations are given wherever there is a place for them; `null` for what may be left out. */
function valueOf(
  path: string,
  type: GraphQLInputType,
  isAsked: boolean,
  dateOf: (path: string) => string,
  choice: number,
): string | null {
  const named = getNamedType(type);
  const listed = (value: string): string => (isListType(getNullableType(type)) ? `[${value}]` : value);
  if (named.name in EDGES) return listed(`"${dateOf(path)}"`);
  if (isEnumType(named)) return listed(named.getValues()[choice % named.getValues().length]!.name);
  if (isInputObjectType(named)) {
    const inner = Object.values(named.getFields())
      .map((input) => ({
        input,
        value: valueOf(`${path}.${input.name}`, input.type, isNeeded(input), dateOf, choice),
      }))
      .filter(({ value }) => value !== null)
      .map(({ input, value }) => `${input.name}: ${value}`);
    return listed(`{ ${inner.join(', ')} }`);
  }
  if (!isAsked) return null;
  const known: Record<string, string> = { ID: /endpoint/i.test(path) ? endpointId : newId(), String: 'something' };
  return listed(named.name in known ? `"${known[named.name]}"` : '1');
}

/** Every field without required arguments, down to this depth. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named) || !('getFields' in named)) return '';
  const fields = Object.values(named.getFields() as Record<string, GraphQLField<unknown, unknown>>)
    .filter((field) => !field.args.some(isNeeded) && (isLeafType(getNamedType(field.type)) || depth > 1))
    .map((field) => `${field.name}${selectionOf(field.type, depth - 1)}`);
  return ` { ${['__typename', ...fields].join(' ')} }`;
}
