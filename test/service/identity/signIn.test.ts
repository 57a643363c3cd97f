import { createHash } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { type Browser, IdentityService, PASSWORD } from '../../support/identity/service.js';

const SESSION = 'dhara.session_token';
let service: IdentityService;

beforeAll(async () => {
  service = await IdentityService.start();
});
beforeEach(() => service.rows('delete from auth."rateLimit"'));
afterAll(() => service.stop());

describe('a session', () => {
  it('identifies the viewer from the next request on, and ends at signing out', async () => {
    const browser = await service.signedIn();
    expect((await browser.viewer()).body['viewer']).toMatchObject({ email: 'ada@example.com', role: 'owner' });

    const stolen = service.browser();
    stolen.setCookie(SESSION, browser.cookie(SESSION)!);
    await browser.post('/sign-out');

    expect((await browser.viewer()).body).toEqual({ viewer: null });
    expect((await stolen.viewer()).body).toEqual({ viewer: null });
  });

  it('has a cookie that scripts and other sites cannot read, and no token in the body', async () => {
    await service.signedIn();
    const reply = await service.browser().post('/sign-in/email', { email: 'ada@example.com', password: PASSWORD });
    const cookie = reply.headers.getSetCookie().find((line) => line.startsWith(SESSION));
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(reply.body).not.toHaveProperty('token');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('is refused with the same error for a wrong password and an unknown email', async () => {
    await service.signedIn();
    const wrong = await service
      .browser()
      .post('/sign-in/email', { email: 'ada@example.com', password: 'not this one' });
    const unknown = await service
      .browser()
      .post('/sign-in/email', { email: 'eve@example.com', password: 'not this one' });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD' });
    expect([unknown.status, unknown.body]).toEqual([wrong.status, wrong.body]);
  });

  it('has a token that is stored only as a hash', async () => {
    const browser = await service.signedIn('hash@example.com');
    const token = decodeURIComponent(browser.cookie(SESSION)!).split('.')[0]!;
    const rows = await service.rows<{ token: string }>(
      `select token from auth.session s join auth."user" u on u.id = s."userId" where email = 'hash@example.com'`,
    );
    expect(rows).toEqual([{ token: createHash('sha256').update(token).digest('base64url') }]);
  });

  it('is refused for a changed cookie, and for the hash in the database', async () => {
    const browser = await service.signedIn();
    const [token, signature] = decodeURIComponent(browser.cookie(SESSION)!).split('.') as [string, string];
    const hash = createHash('sha256').update(token).digest('base64url');
    for (const value of [`${token}x.${signature}`, token, `${hash}.${signature}`, `.${signature}`, '%', '']) {
      const other = service.browser();
      other.setCookie(SESSION, value.includes('%') ? value : encodeURIComponent(value));
      expect((await other.viewer()).body).toEqual({ viewer: null });
    }
  });

  it('ends when it expires', async () => {
    const browser = await service.signedIn('late@example.com');
    await service.rows(`update auth.session set "expiresAt" = now() - interval '1 second'`);
    expect((await browser.viewer()).body).toEqual({ viewer: null });

    await service.signedIn('late@example.com');
    const [left] = await service.rows<{ n: string }>(
      `select count(*) n from auth.session s join auth."user" u on u.id = s."userId" where email = 'late@example.com'`,
    );
    expect(left).toEqual({ n: '1' });
  });

  it('is one of the newest hundred of its user', async () => {
    const first = await service.signedIn('often@example.com');
    await service.rows(
      `insert into auth.session ("userId", token, "expiresAt", "createdAt", "updatedAt")
        select "userId", 'token ' || n, "expiresAt", s."createdAt" + n * interval '1 microsecond', s."updatedAt"
        from auth.session s join auth."user" u on u.id = s."userId", generate_series(1, 150) n where email = 'often@example.com'`,
    );
    const last = await service.signedIn('often@example.com');
    expect((await first.viewer()).body).toEqual({ viewer: null });
    expect((await last.viewer()).body['viewer']).not.toBeNull();
    const [left] = await service.rows<{ n: string }>(
      `select count(*) n from auth.session s join auth."user" u on u.id = s."userId" where email = 'often@example.com'`,
    );
    expect(left).toEqual({ n: '100' });
  });
});

describe('other sites', () => {
  const evil = { origin: 'https://evil.example' };

  it('can neither sign a user in, nor act for a signed-in one', async () => {
    const browser = await service.signedIn();
    const credentials = { email: 'ada@example.com', password: PASSWORD };
    expect((await service.browser().post('/sign-in/email', credentials, evil)).status).toBe(403);
    expect((await browser.post('/sign-out', {}, evil)).status).toBe(403);
    expect((await browser.viewer()).body['viewer']).not.toBeNull();
  });

  it('do not include this machine under another of its names', async () => {
    const origin = service.url.replace('127.0.0.1', 'localhost');
    const credentials = { email: 'ada@example.com', password: PASSWORD };
    await service.signedIn();
    expect((await service.browser().post('/sign-in/email', credentials, { origin })).status).toBe(200);
  });
});

describe('passwords', () => {
  it('are reset by a link that works once, ends all sessions and confirms the email', async () => {
    const email = 'reset@example.com';
    const before = await service.signedIn(email);
    await service.rows(`update auth."user" set "emailVerified" = false where email = $1`, [email]);
    const browser = service.browser();
    const asked = await browser.post('/request-password-reset', { email });
    expect(asked.body).toEqual((await browser.post('/request-password-reset', { email: 'no@example.com' })).body);

    await service.identity.settled();
    const token = new URL(service.linkTo(email)).searchParams.get('token');
    const [kept] = await service.rows<{ n: string }>(
      `select count(*) n from auth.verification where identifier like '%' || $1 || '%'`,
      [token],
    );
    expect(kept).toEqual({ n: '0' });
    const reset = () => browser.post('/reset-password', { newPassword: 'a whole new password', token });
    expect((await reset()).status).toBe(200);
    expect((await reset()).body).toMatchObject({ code: 'INVALID_TOKEN' });

    expect((await before.viewer()).body).toEqual({ viewer: null });
    expect((await browser.post('/sign-in/email', { email, password: PASSWORD })).status).toBe(401);
    expect((await browser.post('/sign-in/email', { email, password: 'a whole new password' })).status).toBe(200);
  });

  it('are reset as a whole or not at all, and by one of several links', async () => {
    const email = 'whole@example.com';
    const before = await service.signedIn(email);
    const browser = service.browser();
    const linkNow = async () => {
      await browser.post('/request-password-reset', { email });
      await service.identity.settled();
      return new URL(service.linkTo(email)).searchParams.get('token');
    };
    const tokens = [await linkNow(), await linkNow()];
    const reset = (token: unknown, newPassword = 'a whole new password') =>
      browser.post('/reset-password', { newPassword, token });
    // The password is set already when this fails.
    await service.rows(`create function fail() returns trigger language plpgsql as $$ begin raise 'it fails'; end $$`);
    await service.rows(`create trigger fail before update on access_token execute function fail()`);
    expect((await reset(tokens[0])).status).toBe(500);
    await service.rows(`drop function fail cascade`);
    expect((await before.viewer()).body['viewer']).toMatchObject({ email });
    expect((await service.browser().post('/sign-in/email', { email, password: PASSWORD })).status).toBe(200);

    expect((await reset(tokens[0], 'short')).body).toMatchObject({ code: 'PASSWORD_TOO_SHORT' });
    expect((await reset(tokens[0], 'x'.repeat(129))).body).toMatchObject({ code: 'PASSWORD_TOO_LONG' });
    expect((await before.viewer()).body['viewer']).toMatchObject({ email });
    const answers = await Promise.all(tokens.map((token) => reset(token)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect((await before.viewer()).body).toEqual({ viewer: null });
    expect((await reset(undefined)).body).toMatchObject({ code: 'INVALID_TOKEN' });
    expect((await service.browser().post('/sign-in/email', { email, password: PASSWORD })).status).toBe(401);
  });

  it('change nothing while the service has no free connection for the rest of a reset', async () => {
    const email = 'busy@example.com';
    const before = await service.signedIn(email);
    const browser = service.browser();
    await browser.post('/request-password-reset', { email });
    await service.identity.settled();
    const token = new URL(service.linkTo(email)).searchParams.get('token');
    const reset = () => browser.post('/reset-password', { newPassword: 'a whole new password', token });
    const release = await service.holdConnections();
    try {
      expect((await reset()).status).toBe(503);
    } finally {
      release();
    }
    expect((await before.viewer()).body['viewer']).toMatchObject({ email });
    expect((await service.browser().post('/sign-in/email', { email, password: PASSWORD })).status).toBe(200);
    expect((await reset()).status).toBe(200);
  });

  it('are set by such a link for a user who came from another service without one', async () => {
    const email = 'moved@example.com';
    await service.rows(`insert into auth."user" (email, name, "emailVerified") values ($1, 'Moved', true)`, [email]);
    const browser = service.browser();
    expect((await browser.post('/sign-in/email', { email, password: PASSWORD })).status).toBe(401);
    await browser.post('/request-password-reset', { email });
    await service.identity.settled();
    const token = new URL(service.linkTo(email)).searchParams.get('token');
    expect((await browser.post('/reset-password', { newPassword: PASSWORD, token })).status).toBe(200);
    expect((await browser.post('/sign-in/email', { email, password: PASSWORD })).status).toBe(200);
  });

  it('are changed with the old password, which ends all other sessions', async () => {
    const [here, elsewhere] = [
      await service.signedIn('change@example.com'),
      await service.signedIn('change@example.com'),
    ];
    const change = (browser: Browser, currentPassword: string) =>
      browser.post('/change-password', { currentPassword, newPassword: 'changed password' });

    expect((await change(here, 'not the old one')).body).toMatchObject({ code: 'INVALID_PASSWORD' });
    expect((await change(here, PASSWORD)).status).toBe(200);
    expect((await here.viewer()).body['viewer']).not.toBeNull();
    expect((await elsewhere.viewer()).body).toEqual({ viewer: null });
  });
});

it('all sessions of a user can be ended at once', async () => {
  const [here, elsewhere] = [await service.signedIn('every@example.com'), await service.signedIn('every@example.com')];
  expect((await here.post('/revoke-sessions')).status).toBe(200);
  expect((await here.viewer()).body).toEqual({ viewer: null });
  expect((await elsewhere.viewer()).body).toEqual({ viewer: null });
});

it('cookies are limited to https if the service uses it', async () => {
  const publicUrl = 'https://video.example.com';
  const secure = await IdentityService.start({ publicUrl });
  try {
    const user = { email: 'ada@example.com', password: PASSWORD };
    await secure.identity.createUser({ ...user, name: 'Ada', emailVerified: true });
    const browser = secure.browser({ origin: publicUrl });
    const reply = await browser.post('/sign-in/email', user, { origin: publicUrl });
    const cookies = reply.headers.getSetCookie();
    const names = cookies.map((line) => line.split('=')[0]);
    expect(new Set(names)).toEqual(new Set(['__Secure-dhara.session_token', '__Secure-dhara.known_device']));
    for (const line of cookies) expect(line).toMatch(/(?=.*; HttpOnly)(?=.*; Secure)(?=.*; SameSite=Lax)/);
    expect((await browser.viewer()).body['viewer']).toMatchObject({ email: user.email });
    expect((await secure.browser().post('/sign-in/email', user)).status).toBe(403);
  } finally {
    await secure.stop();
  }
});

it('identity has no endpoints beyond those in use', async () => {
  const browser = await service.signedIn();
  for (const path of ['get-session', 'list-sessions', 'error', 'ok', 'verify-email/', 'Sign-Out']) {
    expect((await browser.get(`${service.url}/api/auth/${path}`)).status, path).toBe(404);
  }
  for (const path of [
    '/sign-in/social',
    '/change-email',
    '/delete-user',
    '/revoke-session',
    '/two-factor/get-totp-uri',
  ]) {
    expect((await browser.post(path)).status, path).toBe(404);
  }
});

it('a body that is too large is refused', async () => {
  const reply = await service.browser().post('/sign-in/email', { email: 'x'.repeat(20_000), password: 'x' });
  expect(reply.status).toBe(413);
});

it('a user without an account gets one at the next visit', async () => {
  const browser = await service.signedIn('heal@example.com');
  const heal = `(select id from auth."user" where email = 'heal@example.com')`;
  await service.rows(`delete from account where id = ${heal}`);
  await service.rows(`delete from ledger_account where owner_id = ${heal}`);

  const replies = await Promise.all([browser.viewer(), browser.viewer(), browser.viewer()]);

  for (const reply of replies) expect(reply.body['viewer']).toMatchObject({ email: 'heal@example.com', role: 'owner' });
  expect(await service.rows(`select 1 from ledger_account where owner_id = ${heal}`)).toHaveLength(14);
});

it('createUser creates a user once, and does not change an existing password', async () => {
  const user = { email: 'Once@example.com', password: PASSWORD, name: 'Once', emailVerified: true };
  const ids = await Promise.all([service.identity.createUser(user), service.identity.createUser(user)]);
  const again = await service.identity.createUser({ ...user, email: ' once@example.com', password: 'something else' });
  expect(new Set([...ids, again]).size).toBe(1);
  expect(
    (await service.browser().post('/sign-in/email', { email: 'once@example.com', password: PASSWORD })).status,
  ).toBe(200);
});
