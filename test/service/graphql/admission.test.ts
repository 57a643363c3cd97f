import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { Admission } from '../../../src/api/graphql/admission.js';
import { generateSecret } from '../../../src/domain/accounts/keys/keyFormat.js';
import type { Viewer } from '../../../src/ports/identity.js';
import type { Client } from '../../support/graphql/client.js';
import { HOSTILE_OPERATIONS } from '../../support/graphql/hostileOperations.js';
import { GraphqlService } from './service.js';

const codes = (reply: { errors: readonly { extensions: Record<string, unknown> }[] }) =>
  reply.errors.map((error) => error.extensions['code']);

const VIEWER = JSON.stringify({ query: '{ viewer { id } }' });
const bearing = (token: string) => ({ authorization: `Bearer ${token}` });
/** Of the right form, with the right checksum. */
const madeUp = () => generateSecret('dpat_').text;

describe('an operation that is slow to validate', () => {
  let service: GraphqlService;
  let owner: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    owner = await service.signedIn('owner@example.com');
  });
  afterAll(() => service.stop());

  it.each(HOSTILE_OPERATIONS)('is refused before validation to a signed-in user: $shape', async ({ limit, query }) => {
    const reply = await owner.ask(query);
    expect([reply.status, codes(reply)]).toEqual([400, ['QUERY_TOO_COMPLEX']]);
    expect(reply.errors[0]!.message).toContain(`${limit} may be`);
    expect(reply.text.length).toBeLessThan(1_000);
    const stream = await owner.subscribe(query.replace(/^(query|mutation)? ?/, 'subscription '));
    expect([stream.status, codes(await stream.refusal())]).toEqual([400, ['QUERY_TOO_COMPLEX']]);
  });

  it.each(HOSTILE_OPERATIONS)('is refused before validation to a visitor: $shape', async ({ query }) => {
    const reply = await service.nobody.ask(query);
    expect([
      [400, 'QUERY_TOO_COMPLEX'],
      [413, 'PAYLOAD_TOO_LARGE'],
    ]).toContainEqual([reply.status, ...codes(reply)]);
  });

  it('may have a fifth of the tokens from a visitor', async () => {
    const video = `id uuid title description status quality createdAt updatedAt readyAt tags addons { branding encryption }`;
    const page = `{ videos { edges { node { ${video} } } } wallet { ${'master '.repeat(40)} } topUps { edges { node { id ${'status '.repeat(45)} } } } viewer { ${'email '.repeat(49)} name account { ${'suspended '.repeat(40)} } } }`;
    expect(codes(await service.nobody.ask(page))).toEqual(['QUERY_TOO_COMPLEX']);
    expect((await owner.ask(page)).errors).toEqual([]);
  });

  it('is refused with a body above 16 kB from a visitor, who is disconnected', async () => {
    const reply = await service.nobody.ask('{ viewer { id } }', { padding: 'x'.repeat(17_000) });
    expect([reply.status, codes(reply)]).toEqual([413, ['PAYLOAD_TOO_LARGE']]);
    expect(reply.headers.get('connection')).toBe('close');
  });

  it('may have long variables only if it takes long texts', async () => {
    const text = 'x'.repeat(70_000);
    expect(codes(await owner.ask('query ($id: ID!) { video(id: $id) { id } }', { id: text }))).toEqual([
      'INVALID_INPUT',
    ]);
    const upload = `mutation ($input: UploadCaptionsInput!) { uploadCaptions(videoId: "x", input: $input) { id } }`;
    const both = `mutation ($id: ID!) { uploadCaptions(videoId: "x", input: { language: "en", label: "a", text: "a" }) { id } deleteVideo(id: $id) }`;
    const input = { language: 'en', label: 'English', text };
    expect(codes(await owner.ask(upload, { input }))).toEqual(['VIDEO_NOT_FOUND']);
    expect(codes(await owner.ask(both, { id: text }))).toEqual(['INVALID_INPUT']);
  });

  it('with a large body is parsed only if the body is mostly texts', async () => {
    for (const filler of [[...Array(300_000).keys()], Array.from({ length: 300_000 }, () => []), '['.repeat(300_000)]) {
      const body = JSON.stringify({ query: '{ viewer { id } }', filler });
      const reply = await owner.send(typeof filler === 'string' ? `{"a":${filler}` : body);
      expect([reply.status, codes(reply)]).toEqual([400, ['INVALID_INPUT']]);
    }
  });

  it('is refused as a compressed body', async () => {
    const reply = await owner.send('{}', { headers: { 'content-encoding': 'gzip' } });
    expect([reply.status, codes(reply)]).toEqual([415, ['UNSUPPORTED_MEDIA_TYPE']]);
  });

  it('is repeated in errors only in small part', async () => {
    const long = 'a'.repeat(15_000);
    for (const [query, variables] of [
      [`{ ${long} }`],
      [`{ viewer { ${Array.from({ length: 40 }, (_, n) => `unknown${n}`).join(' ')} } }`],
      [`{ videos(first: "${long}") { totalCount } }`],
      [`query ($first: Int!) { videos(first: $first) { totalCount } }`, { first: 'b'.repeat(50_000) }],
      [
        'mutation ($input: UpdateVideoInput!) { updateVideo(id: "x", input: $input) { id } }',
        { input: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`unknown${n}`, 'b'.repeat(50)])) },
      ],
      [`{ "${long}`],
    ] as const) {
      const reply = await owner.ask(query, variables);
      expect(reply.status).toBeGreaterThanOrEqual(200);
      expect(reply.errors.length).toBeGreaterThan(0);
      expect(reply.errors.length).toBeLessThanOrEqual(6);
      expect(reply.text.length).toBeLessThan(4_000);
    }
  });
});

describe('rate budgets', () => {
  let service: GraphqlService;
  const few = (capacity: number) => ({ capacity, perSecond: 0.001, maxCallers: 100 });

  afterEach(() => service.stop());

  it('limit visitors by address, and not signed-in users', async () => {
    service = await GraphqlService.start({ budgets: { perAddress: few(3) } });
    const owner = await service.signedIn('owner@example.com');
    for (let n = 0; n < 3; n += 1) await service.nobody.data('{ viewer { id } }');

    const refused = await service.nobody.ask('{ viewer { id } }');
    expect([refused.status, codes(refused)]).toEqual([429, ['RATE_LIMIT_EXCEEDED']]);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(refused.headers.get('connection')).toBe('close');
    expect((await owner.data('{ viewer { id } }'))['viewer'].id).toBe(owner.accountId);
  });

  it('limit all visitors together', async () => {
    service = await GraphqlService.start({ budgets: { quietVisitors: few(2), busyVisitors: few(1) } });
    for (let n = 0; n < 3; n += 1) await service.nobody.data('{ viewer { id } }');
    const refused = await service.nobody.ask('{ viewer { id } }');
    expect(codes(refused)).toEqual(['RATE_LIMIT_EXCEEDED']);
    expect(refused.errors[0]!.extensions['details']).toMatchObject({ askedAs: 'visitor' });
  });

  it.each(['/graphql', '/graphql/stream'])('charge a visitor for an unknown access token at %s', async (path) => {
    service = await GraphqlService.start({ budgets: { perAddress: few(2) } });
    for (let n = 0; n < 2; n += 1) await service.nobody.send(VIEWER, { path, headers: bearing(madeUp()) });
    const refused = await service.nobody.ask('{ viewer { id } }');
    expect([refused.status, codes(refused)]).toEqual([429, ['RATE_LIMIT_EXCEEDED']]);
  });

  it('stop the lookup of access tokens from an address that keeps sending unknown ones', async () => {
    service = await GraphqlService.start({ budgets: { unknownTokens: few(3) } });
    const owner = await service.signedIn('owner@example.com');
    const { createAccessToken } = await owner.data(
      'mutation { createAccessToken(name: "ci", scopes: [READ]) { token } }',
    );
    const own = bearing(createAccessToken.token as string);
    for (let n = 0; n < 5; n += 1) expect((await service.nobody.send(VIEWER, { headers: own })).status).toBe(200);
    for (let n = 0; n < 3; n += 1) await service.nobody.send(VIEWER, { headers: bearing(madeUp()) });

    for (const headers of [bearing(madeUp()), own]) {
      const refused = await service.nobody.send(VIEWER, { headers });
      expect([refused.status, codes(refused)]).toEqual([429, ['RATE_LIMIT_EXCEEDED']]);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect((await owner.data('{ viewer { id } }'))['viewer'].id).toBe(owner.accountId);
    expect((await service.nobody.ask('{ viewer { id } }')).status).toBe(200);
  });

  it('charge an account for the cost of its operations, and no other account', async () => {
    service = await GraphqlService.start({ budgets: { perAccount: few(500) } });
    const [busy, calm] = [await service.signedIn('busy@example.com'), await service.signedIn('calm@example.com')];
    const large = '{ videos(first: 100) { edges { node { id title status createdAt } } } }';
    expect((await busy.ask(large)).status).toBe(200);

    const refused = await busy.ask('{ viewer { id } }');
    expect([refused.status, codes(refused)]).toEqual([429, ['RATE_LIMIT_EXCEEDED']]);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await calm.ask('{ viewer { id } }')).errors).toEqual([]);
  });
});

describe('a live stream', () => {
  it("is refused to visitors by the request's headers, without waiting for its body", async () => {
    const service = await GraphqlService.start();
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    const head =
      'POST /graphql/stream HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 15000\r\n\r\n';
    socket.write(head);
    let text = '';
    for await (const part of socket as AsyncIterable<string>) {
      text += part;
      if (text.includes('UNAUTHENTICATED')) break;
    }
    expect(text).toMatch(/^HTTP\/1.1 401 /);
    await service.stop();
  });
});

describe('the viewer of a request', () => {
  let server: Server;
  let socket: Socket;

  afterEach(() => {
    socket.destroy();
    server.close();
  });

  async function start(viewers: (Viewer | null)[], asked: () => void): Promise<Socket> {
    const admission = new Admission({
      viewerOf: () => {
        const viewer = viewers.shift() ?? null;
        asked();
        return Promise.resolve(viewer);
      },
    });
    const app = express();
    app.use('/signed-in', admission.identifySignedIn);
    app.use(admission.identify, admission.readBody, admission.checkOperation);
    app.use((req, res) => void res.json({ viewer: admission.viewerOf(req)?.accountId ?? null }));
    server = createServer(app).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
    return socket;
  }

  const answer = (from: Socket) =>
    new Promise<string>((resolve) => {
      let text = '';
      from.on('data', (part: string) => {
        text += part;
        if (/\}\s*$/.test(text)) resolve(text);
      });
    });

  it('is known before any byte of the body', async () => {
    const from = await start([null], () => undefined);
    from.write('POST /signed-in HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    expect(await answer(from)).toMatch(/^HTTP\/1.1 401 [\s\S]*UNAUTHENTICATED/);
  });

  it('is checked again after the body, during which the session may have ended', async () => {
    const viewer = { accountId: 'owner' } as Viewer;
    let identified = (): void => undefined;
    const first = new Promise<void>((resolve) => (identified = resolve));
    const from = await start([viewer, null], () => identified());
    from.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n');
    await first;
    from.write('{}');
    expect(await answer(from)).toContain('{"viewer":null}');
  });
});
