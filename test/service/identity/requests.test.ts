import { connect } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Browser, IdentityService, PASSWORD, type Reply } from '../../support/identity/service.js';

const EMAIL = 'ada@example.com';
let service: IdentityService;

// With a proxy in front, a test can use many addresses.
beforeEach(async () => {
  service = await IdentityService.start({ trustProxy: 1 });
});
afterEach(() => service.stop());

let lastAddress = 0;
/** A browser at a new address. */
function elsewhere(): Browser {
  lastAddress += 1;
  return service.browser({ 'x-forwarded-for': `203.0.${lastAddress >> 8}.${lastAddress & 255}` });
}

describe('callback addresses', () => {
  const EVIL = [
    'https://evil.example',
    'https:evil.example',
    'http:/\\evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    '/ /evil.example',
    '/%2Fevil.example',
    '/%5Cevil.example',
    '/%09/evil.example',
    'https://127.0.0.1@evil.example',
    'http://localhost:9999/',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '@evil.example',
    '.evil.example',
    '',
    '/a//evil.example',
    '/?next=//evil.example',
    '/#//evil.example',
    `/${'a'.repeat(600)}`,
    '/\u202Eevil',
    '/\u0000',
  ];

  it('of other sites are refused in every parameter', async () => {
    for (const callback of EVIL) await expectRefused(callback);
    expect(service.emails).toEqual([]);
  });

  async function expectRefused(callback: string): Promise<void> {
    const address = `${service.url}/api/auth/verify-email?token=x`;
    for (const name of ['callbackURL', 'callbackUrl', 'redirectTo']) {
      const reply = await elsewhere().get(`${address}&${name}=${encodeURIComponent(callback)}`);
      expect([callback, reply.status, reply.headers.get('location')]).toEqual([callback, 403, null]);
    }
    const twice = await elsewhere().get(`${address}&callbackURL=/&callbackURL=${encodeURIComponent(callback)}`);
    expect([twice.status, twice.headers.get('location')]).toEqual([403, null]);

    for (const [path, name] of [
      ['/sign-up/email', 'callbackURL'],
      ['/sign-in/email', 'callbackURL'],
      ['/send-verification-email', 'callbackURL'],
      ['/request-password-reset', 'redirectTo'],
      ['/sign-in/email', 'errorCallbackURL'],
      ['/sign-in/email', 'newUserCallbackURL'],
    ] as const) {
      const body = { name: 'Ada', email: `${lastAddress}@example.com`, password: PASSWORD, [name]: callback };
      expect((await elsewhere().post(path, body)).status).toBe(403);
    }
  }

  it('of other types than text are refused', async () => {
    for (const callback of [['/'], { toString: '/' }, 1, true, null]) {
      const body = { name: 'Ada', email: EMAIL, password: PASSWORD, callbackURL: callback };
      expect((await elsewhere().post('/sign-up/email', body)).status).toBe(403);
    }
  });

  it.each(['/', '/videos', '/videos/vid_1?tab=embed', '/wallet/usage'])('to %s are followed', async (callback) => {
    const email = 'path@example.com';
    await elsewhere().post('/sign-up/email', { name: 'Ada', email, password: PASSWORD, callbackURL: callback });
    await service.identity.settled();
    const opened = await elsewhere().get(service.linkTo(email));
    expect([opened.status, opened.headers.get('location')]).toEqual([302, callback]);
  });
});

describe('the body of a request', () => {
  const signUp = (body: object): Promise<Reply> =>
    elsewhere().post('/sign-up/email', { name: 'Ada', email: EMAIL, password: PASSWORD, ...body });

  it('needs a readable name, or is refused with a clear message', async () => {
    for (const name of ['a\u202Eb', '\u2066Ada', 'pay\u200Dpal', '\uD800', 'a\u0000b', 'a\nb', '\u3164', ' ']) {
      const { status, body } = await signUp({ name });
      expect([name, status, body['code']]).toEqual([name, 400, 'INVALID_INPUT']);
      expect(body['message']).toMatch(/^A name (?:cannot hold the invisible or unsupported character U\+|has 1 to)/);
    }
    for (const name of ['علی‌رضا', 'क्‍ष', 'Zoe\u0308', '👩🏽‍💻 Ada', '葛󠄀城']) {
      const email = `${Buffer.from(name).toString('hex')}@example.com`;
      expect((await signUp({ name, email })).status).toBe(200);
      expect(await service.rows('select name from auth."user" where email = $1', [email])).toEqual([
        { name: name.normalize('NFC') },
      ]);
    }
  });

  it('is refused without a library’s words', async () => {
    for (const body of [
      {},
      { email: 5 },
      { email: EMAIL },
      { email: EMAIL, password: [] },
      { email: 'x', password: 1 },
    ]) {
      const { status, body: told } = await elsewhere().post('/sign-in/email', body);
      expect(status).toBe(400);
      expect(String(told['message'])).not.toMatch(/expected|received|invalid input|\[body/i);
    }
  });

  it('is refused unless it is JSON', async () => {
    const send = (body: string, type: string) =>
      fetch(`${service.url}/api/auth/sign-in/email`, {
        method: 'POST',
        body,
        headers: { 'content-type': type, 'x-forwarded-for': '198.51.100.77', origin: service.url },
      });
    for (const [body, type] of [
      ['{', 'application/json'],
      ['[]', 'application/json'],
      ['null', 'application/json'],
      ['"x"', 'application/json'],
      [`email=${EMAIL}&password=x&callbackURL=https://evil.example`, 'application/x-www-form-urlencoded'],
      [`{"email":"${EMAIL}"}`, 'text/plain'],
    ] as const) {
      const reply = await send(body, type);
      expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([400, 'INVALID_INPUT']);
    }
  });
});

it.each(['http://evil.example', 'http://evil.example:99999'])(
  'a request line that names the host %s is handled like any other',
  async (host) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8');
    socket.write(`GET ${host}/api/auth/verify-email?token=x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let answer = '';
    for await (const part of socket as AsyncIterable<string>) answer += part;
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('"INVALID_TOKEN"');
  },
);
