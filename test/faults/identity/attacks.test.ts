import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { mailboxName } from '../../../src/adapters/identity/attempts.js';
import { type Browser, IdentityService, PASSWORD, type Reply } from '../../support/identity/service.js';

const EMAIL = 'ada@example.com';
const NEW_PASSWORD = 'a whole new password';
let service: IdentityService;

// With a proxy in front, so that a test can use many addresses.
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

async function resetToken(email = EMAIL): Promise<string> {
  await elsewhere().post('/request-password-reset', { email });
  await service.identity.settled();
  return new URL(service.linkTo(email)).searchParams.get('token')!;
}

const reset = (token: string, newPassword = NEW_PASSWORD): Promise<Reply> =>
  elsewhere().post('/reset-password', { newPassword, token });

describe('links', () => {
  it('of password resets end with the first one that is used', async () => {
    await service.signedIn();
    const tokens = [await resetToken(), await resetToken(), await resetToken()];
    expect((await reset(tokens[1]!)).status).toBe(200);
    for (const token of tokens)
      expect((await reset(token, 'of a thief')).body).toMatchObject({ code: 'INVALID_TOKEN' });
    expect((await elsewhere().post('/sign-in/email', { email: EMAIL, password: NEW_PASSWORD })).status).toBe(200);
  });

  it('that are requested and used at the same instant work only once', async () => {
    await service.signedIn();
    for (let round = 0; round < 25; round += 1) {
      await service.rows('delete from auth."rateLimit"');
      const before = service.emails.length;
      await Promise.all([1, 2].map(() => elsewhere().post('/request-password-reset', { email: EMAIL })));
      await service.identity.settled();
      const tokens = service.emails.slice(before).map(({ text }) => /token=([\w%-]+)/.exec(text)![1]!);
      expect(tokens).toHaveLength(2);
      const used = await Promise.all(tokens.map((token, n) => reset(token, `password ${round} of ${n}`)));
      expect(used.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const token of tokens) expect((await reset(token)).body).toMatchObject({ code: 'INVALID_TOKEN' });
      const winner = used.findIndex(({ status }) => status === 200);
      const signIn = { email: EMAIL, password: `password ${round} of ${winner}` };
      expect((await elsewhere().post('/sign-in/email', signIn)).status).toBe(200);
    }
  });

  it('end when the password is changed, together with other sessions, no matter what the request says', async () => {
    const here = await service.signedIn();
    const there = await service.signedIn();
    const token = await resetToken();
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, revokeOtherSessions: false };
    expect((await here.post('/change-password', change)).status).toBe(200);
    expect((await reset(token)).body).toMatchObject({ code: 'INVALID_TOKEN' });
    expect((await here.viewer()).body['viewer']).not.toBeNull();
    expect((await there.viewer()).body).toEqual({ viewer: null });
  });

  it('stay valid when a change is refused; those of other users always do', async () => {
    const here = await service.signedIn();
    await service.signedIn('eve@example.com');
    const [mine, theirs] = [await resetToken(), await resetToken('eve@example.com')];
    await here.post('/change-password', { currentPassword: 'wrong wrong wrong', newPassword: NEW_PASSWORD });
    expect((await reset(mine)).status).toBe(200);
    expect((await reset(theirs)).status).toBe(200);
  });

  it('that confirm an address do not sign in once a reset has confirmed it', async () => {
    await elsewhere().post('/sign-up/email', { name: 'Ada', email: EMAIL, password: 'of a stranger!' });
    await service.identity.settled();
    const confirm = service.linkTo(EMAIL);
    expect((await reset(await resetToken())).status).toBe(200);
    const stranger = elsewhere();
    await stranger.get(confirm);
    expect((await stranger.viewer()).body).toEqual({ viewer: null });
  });
});

describe('limits', () => {
  const guess = (email: string, browser = elsewhere()): Promise<Reply> =>
    browser.post('/sign-in/email', { email, password: 'a guess at it' });

  it('apply to a mailbox from any number of addresses, however it is written, known or not', async () => {
    await service.signedIn();
    for (const email of [EMAIL, 'nobody@example.com']) {
      const [local, domain] = email.split('@');
      const spellings = [email, email.toUpperCase(), `${local}+x@${domain}`, `${local}+${'y'.repeat(9)}@${domain}`];
      const replies: Reply[] = [];
      for (let n = 0; n < 24; n += 1) replies.push(await guess(spellings[n % spellings.length]!));
      const statuses = replies.map(({ status }) => status);
      expect(statuses.slice(0, 20)).toEqual(Array<number>(20).fill(401));
      expect(statuses.slice(20)).toEqual(Array<number>(4).fill(429));
      const last = replies.at(-1)!;
      expect(last.body).toEqual({
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many attempts. Please try again later.',
      });
      expect(last.headers.get('retry-after')).toMatch(/^\d{1,3}$/);
      expect(Number(last.headers.get('retry-after'))).toBeLessThanOrEqual(900);
    }
  });

  it('apply to concurrent attempts', async () => {
    await service.signedIn();
    const replies = await Promise.all(Array.from({ length: 40 }, () => guess(EMAIL)));
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(20);
  });

  it('do not lock out users who have a session on the same network or reset the password', async () => {
    const home = { 'x-forwarded-for': '2001:db8::1' };
    await service.identity.createUser({ email: EMAIL, password: PASSWORD, name: 'Ada', emailVerified: true });
    await service.browser(home).post('/sign-in/email', { email: EMAIL, password: PASSWORD });
    for (let n = 0; n < 21; n += 1) await guess(EMAIL);
    const right = { email: EMAIL, password: PASSWORD };
    expect((await elsewhere().post('/sign-in/email', right)).status).toBe(429);
    // Another machine on the same network.
    const sameLine = service.browser({ 'x-forwarded-for': '2001:db8:0:0:ffff::2' });
    expect((await sameLine.post('/sign-in/email', right)).status).toBe(200);

    for (let n = 0; n < 21; n += 1) await guess(EMAIL);
    expect((await reset(await resetToken())).status).toBe(200);
    expect((await elsewhere().post('/sign-in/email', { email: EMAIL, password: NEW_PASSWORD })).status).toBe(200);
  });

  it('lock out no browser in which the owner has signed in before, wherever it is, but limit its attempts', async () => {
    const known = await service.signedIn();
    await known.post('/sign-out');
    for (let n = 0; n < 21; n += 1) await guess(EMAIL);
    const from = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}` });
    const right = { email: EMAIL, password: PASSWORD };
    expect((await known.post('/sign-in/email', right, from(1))).status).toBe(200);
    expect((await elsewhere().post('/sign-in/email', right)).status).toBe(200);

    await known.post('/sign-out', {}, from(2));
    for (let n = 0; n < 21; n += 1) await guess(EMAIL);
    const wrong = { ...right, password: 'a guess at it' };
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await known.post('/sign-in/email', wrong, from(10 + n))).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  it('accept no known-device cookie of another mailbox, nor a forged one', async () => {
    const eve = await service.signedIn('eve@example.com');
    await service.signedIn();
    for (let n = 0; n < 21; n += 1) await guess(EMAIL);
    const right = { email: EMAIL, password: PASSWORD };
    expect((await eve.post('/sign-in/email', right, { 'x-forwarded-for': '198.51.100.1' })).status).toBe(429);
    const made = elsewhere();
    const cookie = eve.cookie('dhara.known_device')!;
    made.setCookie(
      'dhara.known_device',
      cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    );
    expect((await made.post('/sign-in/email', right)).status).toBe(429);
  });

  it('let the browser that reset a password sign in, however fast strangers guess', async () => {
    await service.identity.createUser({ email: EMAIL, password: PASSWORD, name: 'Ada', emailVerified: true });
    for (let n = 0; n < 21; n += 1) await guess(EMAIL);
    const browser = elsewhere();
    const token = await resetToken();
    expect((await browser.post('/reset-password', { newPassword: NEW_PASSWORD, token })).status).toBe(200);
    for (let n = 0; n < 21; n += 1) await guess(EMAIL);
    expect((await browser.post('/sign-in/email', { email: EMAIL, password: NEW_PASSWORD })).status).toBe(200);
  });

  it('of emails leave a mailbox a working reset link, whatever strangers request', async () => {
    await service.signedIn();
    for (const path of ['/send-verification-email', '/sign-up/email', '/request-password-reset']) {
      for (let n = 0; n < 8; n += 1) await elsewhere().post(path, { email: EMAIL, name: 'Ada', password: PASSWORD });
    }
    await service.identity.settled();
    const links = service.emails.filter(({ text }) => text.includes('/reset-password?token='));
    expect(links).toHaveLength(5);
    const token = /token=([\w%-]+)/.exec(links.at(-1)!.text)![1]!;
    expect((await reset(token)).status).toBe(200);
  });

  it('count the address first: an address over its own limit uses up nothing of a mailbox', async () => {
    await service.signedIn();
    const one = elsewhere();
    const statuses: number[] = [];
    for (let n = 0; n < 40; n += 1) statuses.push((await guess(EMAIL, one)).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect((await guess(EMAIL)).status).toBe(401);
  });

  it('apply to emails to one mailbox, for every kind of request, and equally for unknown ones', async () => {
    await service.signedIn();
    for (const email of [EMAIL, 'unknown@example.com']) {
      const asked: number[] = [];
      for (const path of ['/send-verification-email', '/sign-up/email', '/sign-up/email']) {
        for (let n = 0; n < 2; n += 1) {
          asked.push((await elsewhere().post(path, { email, name: 'Ada', password: PASSWORD })).status);
        }
      }
      expect(asked).toEqual([200, 200, 200, 200, 200, 429]);
      const resets: number[] = [];
      for (let n = 0; n < 6; n += 1) resets.push((await elsewhere().post('/request-password-reset', { email })).status);
      expect(resets).toEqual([200, 200, 200, 200, 200, 429]);
    }
  });

  it('apply to passwords tried with a session, on every path that takes one', async () => {
    await service.signedIn();
    const cookie = await service.signedIn();
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const path = n % 2 === 0 ? '/change-password' : '/two-factor/disable';
      const body = { password: 'a guess at it', currentPassword: 'a guess at it', newPassword: NEW_PASSWORD };
      statuses.push((await cookie.post(path, body, { 'x-forwarded-for': `198.51.100.${n}` })).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(400), 429, 429]);
  });

  it('end with their window, even one that a wrong clock began in the future', async () => {
    await service.signedIn();
    const move = (ms: number) => service.rows(`update auth."rateLimit" set "lastRequest" = "lastRequest" + $1`, [ms]);
    for (const ms of [-900_000, 365 * 86_400_000]) {
      for (let n = 0; n < 21; n += 1) await guess(EMAIL);
      expect((await guess(EMAIL)).status).toBe(429);
      await move(ms);
      expect((await guess(EMAIL)).status).toBe(401);
      await service.rows('delete from auth."rateLimit"');
    }
  });

  it('store no email addresses', async () => {
    await guess(EMAIL);
    expect(JSON.stringify(await service.rows('select * from auth."rateLimit"'))).not.toMatch(/\bada\b|example\.com/i);
  });
});

it.each([
  ['A.B+c@GMail.com', 'ab@googlemail.com', true],
  ['ada+1@example.com', ' ADA@example.com ', true],
  ['ada@example.com', 'ada@example.com.', true],
  ['a.da@example.com', 'ada@example.com', false],
  ['ada@example.com', 'ada@example.org', false],
])('%s and %s are one mailbox: %s', (one, other, same) => {
  expect(mailboxName(one) === mailboxName(other)).toBe(same);
});

it('a proxy that appends ports, or writes addresses differently, does not make each connection a new caller', async () => {
  const spellings = (n: number): string[] => [
    `203.0.113.9:${40_000 + n}`,
    `[::ffff:203.0.113.9]:${n}`,
    '::ffff:cb00:7109',
  ];
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    const browser = service.browser({ 'x-forwarded-for': spellings(n)[n % 3]! });
    statuses.push(
      (await browser.post('/sign-in/email', { email: `${n}@example.com`, password: 'a guess at it' })).status,
    );
  }
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
});
