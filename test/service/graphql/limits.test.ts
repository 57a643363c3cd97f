import { buildSchema, getIntrospectionQuery, getOperationAST, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { assertWithinLimits, QUERY_LIMITS } from '../../../src/api/graphql/limits.js';
import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const WHOLE_VIDEO = `id uuid title description status quality autoProcess measured sourceQuality durationSeconds width
  height sizeBytes tags thumbnailUrl playableRungs createdAt updatedAt readyAt addons { branding encryption }
  metadata { key value } failure { code message } upload { id url sizeBytes expiresAt }
  renditions { quality width height bitrate codecs sizeBytes }
  processing { attempt state quality step percent etaSeconds speed price queuedAt startedAt finishedAt }`;

describe('the limits of GraphQL', () => {
  let service: GraphqlService;
  let owner: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    owner = await service.signedIn('owner@example.com', 'support');
  });
  afterAll(() => service.stop());

  it('allow a page of whole videos', async () => {
    expect(
      (await owner.ask(`{ videos(first: 35) { totalCount edges { cursor node { ${WHOLE_VIDEO} } } } }`)).errors,
    ).toEqual([]);
  });

  const nested = 'account(id: "x") { videos { edges { node { renditions { quality } } } } }';
  it.each([
    ['rootFields', `{ ${Array.from({ length: 11 }, (_, n) => `a${n}: viewer { id }`).join(' ')} }`],
    ['aliases', `{ viewer { ${Array.from({ length: 21 }, (_, n) => `a${n}: id`).join(' ')} } }`],
    ['directives', `{ viewer { ${'id @include(if: true) '.repeat(11)} } }`],
    [
      'complexity',
      `query { ${['a', 'b', 'c', 'd']
        .map(
          (name) => `${name}: analytics(input: { from: "2026-01-01", to: "2026-01-31", granularity: HOUR }) {
          series { startsAt figures { views uniqueViews plays completions stalls errors } } }`,
        )
        .join(' ')} }`,
    ],
    [
      'complexity',
      `{ a: videos(first: 100) { edges { node { ${WHOLE_VIDEO} } } } b: videos(first: 100) { edges { node { ${WHOLE_VIDEO} } } } }`,
    ],
    [
      'complexity',
      `query ($n: Int = 100) { a: videos(first: $n) { edges { node { ${WHOLE_VIDEO} } } } b: videos(first: $n) { edges { node { ${WHOLE_VIDEO} } } } }`,
    ],
    ['complexity', `{ accounts(search: "a") { videos(first: 100) { edges { node { ${WHOLE_VIDEO} } } } } }`],
    [
      'aliases',
      `fragment F on Viewer { ${Array.from({ length: 11 }, (_, n) => `a${n}: id`).join(' ')} } { x: viewer { ...F } y: viewer { ...F } }`,
    ],
    ['aliases', `{ ${Array.from({ length: 30 }, (_, n) => `a${n}: __typename`).join(' ')} }`],
  ])('refuse an operation that exceeds %s', async (limit, query) => {
    const reply = await owner.ask(query);
    expect(reply.status).toBe(400);
    expect(reply.data).toBeNull();
    expect(reply.errors.map((error) => error.extensions['code'])).toEqual(['QUERY_TOO_COMPLEX']);
    expect(reply.errors[0]!.message).toContain(`${limit} may be ${QUERY_LIMITS[limit as keyof typeof QUERY_LIMITS]}`);
  });

  it('report a null for a required value as a mistake of the caller', async () => {
    const reply = await owner.ask('query ($n: Int) { videos(first: $n) { totalCount } }', { n: null });
    expect(reply.errors.map((error) => error.extensions['code'])).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });

  it('allow operations just within them', async () => {
    for (const query of [
      `{ ${Array.from({ length: 10 }, (_, n) => `a${n}: viewer { id }`).join(' ')} }`,
      `{ viewer { ${Array.from({ length: 20 }, (_, n) => `a${n}: id`).join(' ')} } }`,
      `{ viewer { ${'id @include(if: true) '.repeat(10)} } }`,
      `{ ${nested} }`,
    ]) {
      expect((await owner.ask(query)).errors).toEqual([]);
    }
  });

  it('apply to fragments that double at every step, without walking them', async () => {
    const steps = 40;
    const fragments = Array.from(
      { length: steps },
      (_, n) => `fragment F${n} on Viewer { ...F${n + 1} ...F${n + 1} }`,
    ).join(' ');
    const reply = await owner.ask(`{ viewer { ...F0 } } ${fragments} fragment F${steps} on Viewer { id }`);
    expect([reply.status, reply.errors[0]!.extensions['code']]).toEqual([400, 'QUERY_TOO_COMPLEX']);
  });

  it.each([
    ['circular fragments', 'fragment A on Viewer { ...B } fragment B on Viewer { ...A } { viewer { ...A } }'],
    ['too many tokens', `{ viewer { ${'id '.repeat(2000)} } }`],
    ['endless brackets', '{viewer'.repeat(10_000)],
    ['text that is not GraphQL', '}{'],
    ['an empty document', ''],
    ['two operations without a name', 'query A { viewer { id } } query B { viewer { id } }'],
    ['a subscription', 'subscription { walletChanged { master } }'],
    ['deferred fragments', '{ viewer { ... @defer { id } } }'],
  ])('return 400 without data for %s', async (_, query) => {
    const reply = await owner.ask(query);
    expect(reply.status).toBe(400);
    expect(reply.data).toBeNull();
    expect(reply.errors.length).toBeGreaterThan(0);
    expect(reply.text).not.toMatch(/stacktrace|node_modules|\.ts:|\.js:/);
  });

  it('apply to the body', async () => {
    const reply = await owner.ask('{ viewer { id } }', { padding: 'x'.repeat(2_000_000) });
    expect([reply.status, reply.errors[0]!.extensions['code']]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('allow one operation per request', async () => {
    const reply = await owner.send(JSON.stringify([{ query: '{ viewer { id } }' }, { query: '{ viewer { id } }' }]));
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain(owner.accountId);
  });

  it('refuse GET, forms and plain text, which other sites can make a browser send', async () => {
    const change = 'mutation { createApiKey(name: "forged") { key } }';
    const get = await owner.send('', {
      method: 'GET',
      path: `/graphql?query=${encodeURIComponent('{ viewer { id } }')}`,
    });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', `query=${encodeURIComponent(change)}`],
      ['text/plain', JSON.stringify({ query: change })],
      [
        'multipart/form-data; boundary=x',
        `--x\r\ncontent-disposition: form-data; name="query"\r\n\r\n${change}\r\n--x--`,
      ],
      ['text/plain; application/json', JSON.stringify({ query: change })],
      ['', JSON.stringify({ query: change })],
    ]) {
      for (const path of ['/graphql', '/graphql/stream']) {
        const reply = await owner.send(body!, { headers: { 'content-type': type! }, path });
        expect([type, reply.status, reply.errors[0]!.extensions['code']]).toEqual([
          type,
          415,
          'UNSUPPORTED_MEDIA_TYPE',
        ]);
      }
    }
    expect(await owner.data('{ apiKeys { id } }')).toEqual({ apiKeys: [] });
  });

  it('return 400 for a body that is not JSON, or not an operation', async () => {
    for (const body of ['{', '"text"', 'null', '{}', '{"query":1}', '{"query":"{ viewer { id } }","variables":"x"}']) {
      const reply = await owner.send(body);
      expect([body, reply.status]).toEqual([body, 400]);
      expect(reply.errors).toHaveLength(1);
    }
  });

  it('refuse persisted queries', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
    const reply = await owner.send(JSON.stringify({ extensions }));
    expect(reply.errors.map((error) => error.extensions['code'])).toEqual(['PERSISTED_QUERY_NOT_SUPPORTED']);
  });

  it('hide everything of an unexpected error except its request id, and log it', async () => {
    await service.rows('alter table api_key rename column name to gone');
    const reply = await owner.ask('{ apiKeys { id } }');
    await service.rows('alter table api_key rename column gone to name');
    expect(reply.errors).toEqual([
      {
        message: 'Something went wrong on our side.',
        path: ['apiKeys'],
        locations: [{ line: 1, column: 3 }],
        extensions: { code: 'INTERNAL_ERROR', status: 500, requestId: 'test-request' },
      },
    ]);
    const line = service.logLines.find((text) => text.includes('"path":["apiKeys"]'));
    expect(line).toContain('test-request');
    expect(line).toContain('column');
  });

  it('leave the schema readable in development', async () => {
    expect((await owner.data('{ __schema { queryType { name } } }'))['__schema'].queryType.name).toBe('Query');
    expect((await owner.ask('{ viewr { id } }')).text).toContain('viewer');
  });
});

describe('GraphQL in production', () => {
  let service: GraphqlService;

  beforeAll(async () => {
    service = await GraphqlService.start({ production: true });
  });
  afterAll(() => service.stop());

  it('hides the schema', async () => {
    for (const query of [
      '{ __schema { queryType { name } } }',
      '{ __type(name: "Query") { name } }',
      '{ viewr { id } }',
    ]) {
      const reply = await service.nobody.ask(query);
      expect(reply.status).toBe(400);
      expect(reply.text).not.toMatch(/viewer|Did you mean/);
    }
    const page = await fetch(`${service.url}/graphql`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(405);
  });

  it('hides the schema on the stream, too', async () => {
    const owner = await service.signedIn('owner@example.com');
    for (const query of [
      'subscription { __schema { queryType { name } } }',
      'subscription { walletChangd { master } }',
    ]) {
      const stream = await owner.subscribe(query);
      expect(stream.status).toBe(400);
      expect((await stream.refusal()).text).not.toMatch(/walletChanged|Did you mean/);
    }
  });
});

describe('measuring an operation', () => {
  const schema = buildSchema(
    'type Query { deeper: Query id: ID many: [Query!]! list(first: Int! = 20): Query edges: [Query] }',
  );
  const check = (query: string, variables: Record<string, unknown> = {}) => {
    const document = parse(query);
    assertWithinLimits(schema, document, getOperationAST(document)!, variables);
  };
  const nest = (field: string, times: number) => `${`${field} {`.repeat(times)} id ${'}'.repeat(times)}`;

  it('bounds its depth, also through fragments', () => {
    expect(() => check(`{ ${nest('deeper', 9)} }`)).not.toThrow();
    expect(() => check(`{ ${nest('deeper', 10)} }`)).toThrow('depth may be 10, and is 11');
    expect(() => check(`{ ${nest('deeper', 5)} ... F } fragment F on Query { ${nest('deeper', 10)} }`)).toThrow(
      'depth',
    );
    expect(() => check(`{ ... on Query { ... { ${nest('deeper', 10)} } } }`)).toThrow('depth');
  });

  it('multiplies by the length of lists', () => {
    // 1 + 20 × (1 + 20 × 1) = 421, and one level more is 8,421.
    expect(() => check(`{ ${nest('list', 2)} }`)).not.toThrow();
    expect(() => check(`{ ${nest('list', 3)} }`)).toThrow('complexity may be 4000, and is 8421');
    expect(() => check(`{ ${nest('many', 4)} }`)).not.toThrow();
    expect(() => check(`{ ${nest('many', 5)} }`)).toThrow('complexity');
    expect(() => check(`{ ${nest('edges', 9)} }`)).not.toThrow();
  });

  it('counts each thing that is to be changed, so that an operation has one full batch', () => {
    const batches = buildSchema('type Query { id: ID } type Mutation { change(ids: [ID!]!): [ID!]! }');
    const cost = (query: string, variables: Record<string, unknown> = {}) => {
      const document = parse(query);
      return assertWithinLimits(batches, document, getOperationAST(document)!, variables);
    };
    const ids = Array.from({ length: 100 }, (_, n) => `vid_${n}`);
    const one = 'mutation ($ids: [ID!]!) { change(ids: $ids) }';
    const two = 'mutation ($ids: [ID!]!) { a: change(ids: $ids) b: change(ids: $ids) }';
    expect(cost(one, { ids })).toBe(2_501);
    expect(cost(two, { ids: ids.slice(50) })).toBe(2_502);
    expect(() => cost(two, { ids })).toThrow('complexity may be 4000, and is 5002');
    expect(() => cost('mutation { a: change(ids: $ids) b: change(ids: $ids) }')).toThrow('complexity');
    expect(cost('mutation { a: change(ids: ["a", "b"]) b: change(ids: "c") }')).toBe(77);
    expect(cost(one, { ids: 'a' })).toBe(26);
    // Too many are refused when they are read, by their own error.
    expect(cost(one, { ids: [...ids, ...ids] })).toBe(2_501);
  });

  it('allows one introspection, with bounded depth', () => {
    expect(() => check(getIntrospectionQuery())).not.toThrow();
    expect(() => check('{ __schema { types { name } } __schema { queryType { name } } }')).toThrow('introspection may');
    expect(() => check('{ a: __schema { types { name } } }')).toThrow('introspection may');
    expect(() => check('{ __schema { types { a: fields { name } b: fields { name } } } }')).toThrow(
      'introspection may',
    );
    const deep = 'types { fields { type { ...F } } } } } fragment F on __Type { possibleTypes { name } }';
    expect(() => check(`{ __schema { ${deep}`)).toThrow('introspectionDepth may');
    expect(() => check(`{ deeper { __typename } ...Q } fragment Q on Query { __schema { ${deep}`)).toThrow(
      'introspectionDepth may',
    );
    const doubling = Array.from({ length: 40 }, (_, n) => `fragment F${n} on __Type { ...F${n + 1} ...F${n + 1} }`);
    expect(() =>
      check(`{ __schema { types { ...F0 } } } ${doubling.join(' ')} fragment F40 on __Type { name }`),
    ).not.toThrow();
  });

  it('takes an unreadable length as the largest', () => {
    const query = 'query ($n: Int!) { list(first: $n) { list(first: $n) { many { many { id } } } } }';
    expect(() => check(query, { n: 3 })).not.toThrow();
    for (const n of [100, -1, 0, 1e9, 'x', null, undefined, Number.NaN]) {
      expect(() => check(query, { n })).toThrow('complexity');
    }
  });
});

it('production shows the schema if introspection is switched on', async () => {
  const service = await GraphqlService.start({ production: true, introspection: true });
  try {
    const reply = await service.nobody.ask('{ __schema { queryType { name } } }');
    expect(reply.data!['__schema'].queryType.name).toBe('Query');
  } finally {
    await service.stop();
  }
});
