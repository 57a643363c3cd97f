import { Agent, request, type IncomingHttpHeaders } from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Parameter } from '../../../src/api/rest/docs/openapiTypes.js';
import { generateKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { document, expectDocumented } from '../../support/contract/client.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { IS_FULL } from '../../support/effort.js';
import fc from '../../support/properties.js';

/** The total over the four operations. */
const REQUESTS = IS_FULL ? 20_000 : 2_000;

let service: RestService;
let agent: Agent;
/** What exists, so that some requests get past the first check. */
let known: { keys: string[]; videoIds: string[]; tokens: string[] };

beforeAll(async () => {
  service = await startRestService();
  agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const { accountId, key } = await openCustomer(service);
  const suspended = await openCustomer(service);
  await service.db.pool.query('update api_key set suspended = true where account_id = $1', [suspended.accountId]);
  const ready = await addVideo(service.db, accountId, { tags: ['a'] });
  const queued = await addVideo(service.db, accountId, { status: 'queued' });
  const theirs = await addVideo(service.db, suspended.accountId);
  const minted = await service.playback.mint(key, ready);
  known = {
    keys: [key, suspended.key],
    videoIds: [ready, queued, theirs].flatMap((id) => [id, id.toUpperCase(), videoIdOf(id)]),
    tokens: [minted.token.token],
  };
});
afterAll(async () => {
  agent.destroy();
  await service.stop();
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends the path as it is, which `fetch` would normalize. */
function send({ method, path, headers, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    // Without a length, Node sends the body of a GET unframed.
    const framed = body === '' ? headers : { ...headers, 'content-length': String(body.length) };
    const req = request({ agent, hostname, port, method, path, headers: framed }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        resolve({ status: res.statusCode!, headers: res.headers, text: Buffer.concat(chunks).toString() });
      });
    });
    req.on('error', reject);
    req.end(body);
  });
}

/** Characters that a request line can carry, and valid and broken percent escapes. */
const PATH_CHARACTERS = [
  ...'abcXYZ019-_.~!$&()*+,;=:@%'.split(''),
  '%2F',
  '%00',
  '%ff',
  '%E0%A4%A',
  '%F0%9F%8E%AC',
  '..',
  "'",
];
const wildSegment = () =>
  fc
    .array(fc.constantFrom(...PATH_CHARACTERS), { minLength: 1, maxLength: 40 })
    .map((characters) => characters.join(''));
const queryText = () => fc.oneof(fc.string({ maxLength: 300, unit: 'binary' }), wildSegment());

function segmentFor(name: string): fc.Arbitrary<string> {
  const wild = [
    wildSegment(),
    fc.constantFrom('A'.repeat(4_000), videoIdOf(newId()), newId(), 'vid_', 'null', '-1', 'playback'),
  ];
  const real = name === 'token' ? known.tokens : known.videoIds;
  return fc.oneof(fc.constantFrom(...real), fc.constantFrom(...real), ...wild);
}

/** Values that the schema allows, values that it just refuses, and nonsense. */
function valueFor({ schema }: Parameter): fc.Arbitrary<string> {
  const words = schema['enum'] as string[] | undefined;
  if (words !== undefined) return fc.oneof(fc.constantFrom(...words), fc.constantFrom('READY', ''), queryText());
  if (schema['type'] !== 'integer') return queryText();
  const min = Number(schema['minimum'] ?? 0);
  const max = Number(schema['maximum'] ?? 1_000);
  return fc.oneof(
    fc.integer({ min, max }).map(String),
    fc.constantFrom(min - 1, max + 1).map(String),
    fc.constantFrom('1e2', '01', '+1', ' 1', '1.0', 'NaN', '9'.repeat(400)),
    queryText(),
  );
}

function queryFor(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const described = parameters
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => valueFor(parameter).map((value) => [parameter.name, value] as const));
  const unknown = fc.tuple(queryText(), queryText());
  const pairs = fc.array(fc.oneof(...described, unknown), { maxLength: described.length > 0 ? 4 : 1 });
  return pairs.map((list) => {
    const query = list.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
    return query === '' ? '' : `?${query}`;
  });
}

/** Lone surrogates have no encoding, so they become broken escapes. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

const headers = (): fc.Arbitrary<Asked['headers']> =>
  fc
    .record(
      {
        'x-service-key': fc.oneof(
          fc.constantFrom(...known.keys, known.keys[0]!),
          fc.constantFrom('', 'dk_live_', generateKey('live').text, `${known.keys[0]!} `, 'a'.repeat(2_000)),
          fc.tuple(fc.constantFrom(...known.keys), fc.constantFrom(...known.keys)).map((two) => [...two]),
        ),
        'x-request-id': fc.constantFrom('abcdefgh', '', 'x'.repeat(500), '"><script>'),
        'if-none-match': fc.constantFrom('*', '""', 'W/"x"', '"a", "b"'),
        'x-http-method-override': fc.constantFrom('DELETE', 'POST'),
        accept: fc.constantFrom('text/html', 'application/json', '*/*;q=0', 'nonsense'),
        origin: fc.constantFrom('null', 'https://a.example', 'javascript:x'),
        'content-type': fc.constantFrom('application/json', 'text/xml', 'nonsense'),
      },
      { requiredKeys: [] },
    )
    .map((given) => given as Asked['headers']);

describe('requests generated from the OpenAPI document', () => {
  const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ template, method: method.toUpperCase(), operation })),
  );

  it.each(operations)(
    'get responses that $method $template documents, and never 5xx',
    async ({ template, method, operation }) => {
      const statuses = new Map<number, number>();
      const asked: fc.Arbitrary<Asked> = fc.record({
        method: fc.oneof(
          { weight: 8, arbitrary: fc.constant(method) },
          fc.constantFrom('PUT', 'DELETE', 'PATCH', 'HEAD'),
        ),
        path: fc
          .tuple(
            ...template
              .split('/')
              .map((part) => (part.startsWith('{') ? segmentFor(part.slice(1, -1)) : fc.constant(part))),
          )
          .chain((parts) => queryFor(operation.parameters).map((query) => parts.join('/') + query)),
        headers: headers(),
        body: fc.constantFrom('', '{}', '{"a":', 'x'.repeat(10_000)),
      });
      await fc.assert(
        fc.asyncProperty(asked, async (one) => {
          const { status, headers: got, text } = await send(one);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          expect(status).toBeLessThan(500);
          expect(got['x-request-id']).toMatch(/^[\w.:-]{8,128}$/);
          if (status === 304 || one.method === 'HEAD') {
            expect(text).toBe('');
            return;
          }
          expect(got['content-type']).toBe('application/json; charset=utf-8');
          // A slash or dots in a segment lead to other paths, which return errors of the same form.
          expectDocumented(one.path.replace(/\?.*/s, ''), one.method, status, JSON.parse(text) as { success: boolean });
        }),
        { numRuns: REQUESTS / operations.length },
      );
      // A run in which the first check refuses everything would prove little.
      expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 405]));
    },
    IS_FULL ? 300_000 : 60_000,
  );
});
