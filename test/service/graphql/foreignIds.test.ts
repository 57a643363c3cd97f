import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { buildGraphqlSchema } from '../../../src/api/graphql/schema.js';
import { IS_FULL } from '../../support/effort.js';
import type { Client } from '../../support/graphql/client.js';
import { credits, paperVideo, readyVideo } from './parents.js';
import { GraphqlService } from './service.js';

const schema = buildGraphqlSchema();
/** Part of every text of the victim. Nobody else may ever read it. */
const CANARY = 'canary-of-the-victim';

/** Mutations that return the id they were sent, since ending something twice is no error. */
const ECHOES = ['endSession'];
/** Valid values for texts with a format. */
const STRINGS: Readonly<Record<string, string>> = {
  amount: '"1"',
  language: '"en"',
  url: '"http://127.0.0.1:9/"',
  text: String.raw`"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"`,
};

/** These exist in test mode only. */
const OF_TEST_MODE = ['simulatePaymentDispute', 'endPaymentDispute'];

/** The kind of an id, by the names of its argument and field. */
type Kind = 'account' | 'video' | 'caption' | 'quote' | 'key' | 'topUp' | 'session' | 'endpoint' | 'delivery' | 'other';

interface IdPlace {
  /** For example `input.videoId`. */
  readonly path: string;
  readonly isList: boolean;
  readonly kind: Kind;
}

interface Operation {
  readonly name: string;
  readonly type: 'query' | 'mutation';
  readonly field: GraphQLField<unknown, unknown>;
  readonly ids: readonly IdPlace[];
}

const operations = [schema.getQueryType()!, schema.getMutationType()!]
  .flatMap((type) => Object.values(type.getFields()).map((field) => operationOf(type, field)))
  .filter(({ ids }) => ids.length > 0);

describe('ids of another account', () => {
  let service: GraphqlService;
  let victim: Client;
  let attacker: Client;
  let foreign: Record<Kind, readonly string[]>;
  let own: Record<Kind, string>;
  const generous = { capacity: 1e9, perSecond: 1e9, maxCallers: 10 };

  beforeAll(async () => {
    service = await GraphqlService.start({
      budgets: { perAddress: generous, quietAddress: generous, quietVisitors: generous, perAccount: generous },
    });
    victim = await service.signedIn('victim@example.com');
    attacker = await service.signedIn('attacker@example.com');
    foreign = await everythingOf(service, victim, CANARY);
    const mine = await everythingOf(service, attacker, 'mine');
    own = Object.fromEntries(Object.entries(mine).map(([kind, [first]]) => [kind, first])) as Record<Kind, string>;
  });
  afterAll(() => service?.stop());

  it('are tested in every operation that takes an id', () => {
    expect(operations.length).toBeGreaterThan(30);
    const kinds = new Set(operations.flatMap(({ ids }) => ids.map(({ kind }) => kind)));
    expect([...kinds].toSorted()).toEqual(
      ['account', 'caption', 'delivery', 'endpoint', 'key', 'other', 'quote', 'session', 'topUp', 'video'].toSorted(),
    );
  });

  it('work for their owner, so that a refusal means something', async () => {
    const [videoId] = foreign.video;
    const reply = await victim.ask(`{ video(id: "${videoId}") { title } }`);
    expect(reply.text).toContain(CANARY);
    const topUp = operations.find(({ name }) => name === 'topUp')!;
    expect((await victim.ask(textOf(topUp, () => foreign.topUp[0]!))).errors).toEqual([]);
  });

  it.each(operations)('read and change nothing by $type $name', async (operation) => {
    const before = await rowsOf(service, victim.accountId);
    expect(before).not.toBe('');
    const asking = OF_TEST_MODE.includes(operation.name) ? attacker.inTestMode : attacker;
    for (const chosen of choicesFor(operation)) {
      const reply = await asking.ask(textOf(operation, (place) => chosen.get(place)!));
      const asked = `${operation.name} ${JSON.stringify([...chosen].map(([place, id]) => [place.path, id]))}`;
      expect(reply.text, asked).not.toContain(CANARY);
      expect(reply.status, asked).toBeLessThan(500);
      // A list may leave foreign ids out; all other operations must refuse them.
      const isLeftOut =
        reply.errors.length === 0 &&
        (JSON.stringify(reply.data).match(/\[\]|null/) !== null || ECHOES.includes(operation.name));
      const said = reply.errors.map(({ extensions }) => String(extensions['code']));
      expect(isLeftOut || said.some((code) => /NOT_FOUND|FORBIDDEN/.test(code)), `${asked}: ${reply.text}`).toBe(true);
    }
    expect(await rowsOf(service, victim.accountId)).toBe(before);
  });

  /** Foreign ids in every place, alone and beside own ids; with `TEST_FULL=1` also ids of all other kinds. */
  function choicesFor({ ids }: Operation): Map<IdPlace, string>[] {
    const everyId = [...new Set(Object.values(foreign).flat())];
    const choices: Map<IdPlace, string>[] = [];
    for (const place of ids) {
      const candidates = IS_FULL || place.kind === 'other' ? everyId : foreign[place.kind];
      for (const id of candidates) {
        // Beside own ids …
        choices.push(new Map(ids.map((other) => [other, other === place ? id : own[other.kind]])));
        // … and beside the foreign ids that belong to it.
        choices.push(new Map(ids.map((other) => [other, other === place ? id : foreign[other.kind][0]!])));
      }
    }
    return choices;
  }
});

function operationOf(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): Operation {
  const ids = field.args.flatMap((arg) => idPlaces(arg.name, arg.type, field.name));
  return { name: field.name, type: type.name === 'Query' ? 'query' : 'mutation', field, ids };
}

function idPlaces(path: string, type: GraphQLInputType, fieldName: string): IdPlace[] {
  const named = getNamedType(type);
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((input) =>
      idPlaces(`${path}.${input.name}`, input.type, fieldName),
    );
  }
  if (named.name !== 'ID') return [];
  return [{ path, isList: isListType(getNullableType(type)), kind: kindOf(path.split('.').at(-1)!, fieldName) }];
}

function kindOf(argument: string, field: string): Kind {
  const of: [RegExp, Kind][] = [
    [/^accountId$/, 'account'],
    [/^videoId$/, 'video'],
    [/^captionId$/, 'caption'],
    [/^quoteId$/, 'quote'],
    [/^apiKeyId$/, 'key'],
    [/^topUpId$/, 'topUp'],
    [/^endpointId$/, 'endpoint'],
    [/^deliveryId$/, 'delivery'],
  ];
  const named = of.find(([pattern]) => pattern.test(argument));
  if (named) return named[1];
  if (/video|poster/i.test(field)) return 'video';
  if (/apikey/i.test(field)) return 'key';
  if (/topup/i.test(field)) return 'topUp';
  if (/webhook(Endpoint|Secret)/i.test(field)) return 'endpoint';
  if (/session/i.test(field)) return 'session';
  if (field === 'account') return 'account';
  return 'other';
}

/** An operation with these ids, and valid values for all other required arguments. */
function textOf({ type, field, ids }: Operation, idOf: (place: IdPlace) => string): string {
  const args = field.args
    .filter((arg) => isNeeded(arg) || ids.some(({ path }) => path.split('.')[0] === arg.name))
    .map((arg) => `${arg.name}: ${valueOf(arg.name, arg.type, ids, idOf)}`);
  return `${type} { ${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`}${selectionOf(field.type, 2)} }`;
}

function isNeeded(arg: GraphQLArgument): boolean {
  return isNonNullType(arg.type) && arg.defaultValue === undefined;
}

function valueOf(
  path: string,
  type: GraphQLInputType,
  ids: readonly IdPlace[],
  idOf: (place: IdPlace) => string,
): string {
  const place = ids.find((one) => one.path === path);
  if (place) return place.isList ? `["${idOf(place)}"]` : `"${idOf(place)}"`;
  const named = getNamedType(type);
  const known: Record<string, string> = {
    String: STRINGS[path.split('.').at(-1)!] ?? '"something"',
    Boolean: 'true',
    Int: '1',
    Float: '0',
    SafeInt: '1',
    Credits: '"1"',
    DateTime: '"2026-01-31T00:00:00Z"',
    Day: '"2026-01-31"',
  };
  const inner = isEnumType(named)
    ? named.getValues()[0]!.name
    : isInputObjectType(named)
      ? `{ ${Object.values(named.getFields())
          .filter((input) => isNonNullType(input.type) || ids.some((one) => one.path === `${path}.${input.name}`))
          .map((input) => `${input.name}: ${valueOf(`${path}.${input.name}`, input.type, ids, idOf)}`)
          .concat(named.name === 'UpdateVideoInput' ? ['title: "taken over"'] : [])
          .concat(named.name === 'UpdateCaptionsInput' ? ['label: "taken over"'] : [])
          .join(', ')} }`
      : (known[named.name] ?? failure(`no value for ${named.name}`));
  return isListType(getNullableType(type)) ? `[${inner}]` : inner;
}

/** Every field without required arguments, down to this depth. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named) || !('getFields' in named)) return '';
  const fields = Object.values(named.getFields() as Record<string, GraphQLField<unknown, unknown>>)
    .filter((field) => !field.args.some(isNeeded))
    .map((field) => {
      const isLeaf = isLeafType(getNamedType(field.type));
      if (!isLeaf && depth === 1) return '';
      return `${field.name}${selectionOf(field.type, depth - 1)}`;
    })
    .filter(Boolean);
  return ` { ${['__typename', ...fields].join(' ')} }`;
}

/** Creates one of everything an owner can have, with the canary in every text. The first of each kind is live. */
async function everythingOf(
  service: GraphqlService,
  client: Client,
  text: string,
): Promise<Record<Kind, readonly string[]>> {
  const { accountId } = client;
  await credits(service, accountId, { masterMicros: 50_000_000n, creativeMicros: 50_000_000n });
  const measured = await paperVideo(service, accountId, { title: text });
  const ready = await readyVideo(service, accountId);
  await service.admin.query('update video set title = $2, description = $2 where id = $1', [ready, text]);
  const quote = await client.data(`mutation { createQuote(videoId: "${videoIdOf(measured)}", quality: P480) { id } }`);
  const captions = await client.data(
    'mutation ($id: ID!, $input: UploadCaptionsInput!) { uploadCaptions(videoId: $id, input: $input) { captions { id } } }',
    {
      id: videoIdOf(ready),
      input: {
        language: 'en',
        label: text,
        text: 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n',
      },
    },
  );
  const key = await client.data('mutation ($name: String!) { createApiKey(name: $name) { apiKey { id } } }', {
    name: text,
  });
  const topUp = await client.data(
    `mutation { createTopUp(provider: RAZORPAY, amount: "100", idempotencyKey: "${newId()}") { id } }`,
  );
  const endpoint = await service.services.webhooks.create(accountId, {
    url: 'http://127.0.0.1:9/',
    description: text,
    eventTypes: null,
  });
  const delivery = await service.services.webhooks.test(accountId, endpoint.endpoint.id);
  const sessions = await client.data('{ viewer { sessions { id } } }');
  const videos = [videoIdOf(ready), ready, videoIdOf(measured), measured];
  return {
    account: [accountId],
    video: videos,
    caption: captions['uploadCaptions'].captions.map(({ id }: { id: string }) => id),
    quote: [quote['createQuote'].id],
    key: [key['createApiKey'].apiKey.id],
    topUp: [topUp['createTopUp'].id],
    session: sessions['viewer'].sessions.map(({ id }: { id: string }) => id),
    endpoint: [endpoint.endpoint.id],
    delivery: [delivery.id],
    other: [accountId],
  };
}

/** Every row of the account, as one text. */
async function rowsOf(service: GraphqlService, accountId: string): Promise<string> {
  const columns = await service.rows<{ name: string; column_name: string }>(`
    select quote_ident(c.table_schema) || '.' || quote_ident(c.table_name) as name,
      quote_ident(c.column_name) as column_name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema in ('public', 'auth') and t.table_type = 'BASE TABLE'
      and c.column_name in ('account_id', 'owner_id', 'userId')
      and c.table_name !~ '_p[0-9]+$'
    order by 1`);
  const tables = columns.map(
    ({ name: table, column_name: column }) =>
      `select '${table}' as name, coalesce(string_agg(x::text, e'\\n' order by x::text), '') as rows
       from ${table} x where x.${column} = $1::uuid`,
  );
  const rows = await service.rows<{ name: string; rows: string }>(tables.join(' union all '), [accountId]);
  return rows.map(({ name, rows: text }) => `${name}\n${text}`).join('\n');
}

function failure(message: string): never {
  throw new Error(message);
}
