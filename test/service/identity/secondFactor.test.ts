import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { ENDPOINTS } from '../../../src/api/identity/router.js';
import { type Browser, IdentityService, PASSWORD, type Reply, totpCode } from '../../support/identity/service.js';

const EMAIL = 'ada@example.com';
const SESSION = 'dhara.session_token';

let service: IdentityService;
beforeAll(async () => {
  service = await IdentityService.start();
});
beforeEach(() => service.rows('delete from auth."rateLimit"'));
afterAll(() => service.stop());

/** What each endpoint is sent that needs the second factor, in an order in which all of them succeed. */
const SENT: Readonly<Record<string, object>> = {
  'POST /change-address': { email: 'ada@new.example', password: PASSWORD },
  'POST /confirm-address': {},
  'POST /two-factor/generate-backup-codes': { password: PASSWORD },
  'POST /two-factor/disable': { password: PASSWORD },
  'POST /two-factor/enable': { password: PASSWORD },
  'POST /change-password': { currentPassword: PASSWORD, newPassword: 'another long password' },
};

it('whatever changes how a user signs in needs a session that has passed the second factor', async () => {
  const needing = [...ENDPOINTS].filter(([, needs]) => needs === 'second factor').map(([endpoint]) => endpoint);
  expect(needing.toSorted()).toEqual(Object.keys(SENT).toSorted());

  const browser = await service.signedIn(EMAIL);
  const old = service.browser();
  await old.post('/sign-in/email', { email: EMAIL, password: PASSWORD });
  const uri = String((await browser.post('/two-factor/enable', { password: PASSWORD })).body['totpURI']);
  expect((await browser.post('/two-factor/verify-totp', { code: totpCode(uri) })).status).toBe(200);
  expect((await old.viewer()).body['viewer']).toMatchObject({ twoFactorEnabled: true, twoFactorPassed: false });

  // A valid link, which a session with the second factor asked for.
  await browser.post('/change-address', { email: 'ada@new.example', password: PASSWORD });
  const tokenOf = async () => {
    await service.identity.settled();
    return new URL(service.linkTo('ada@new.example')).searchParams.get('confirm');
  };
  const token = await tokenOf();
  const send = (who: Browser, endpoint: string, body: object) => who.post(endpoint.slice('POST '.length), body);
  const before = await stateOf();
  for (const [endpoint, body] of Object.entries(SENT)) {
    const answer = await send(old, endpoint, endpoint.endsWith('confirm-address') ? { token } : body);
    expect(answer, endpoint).toMatchObject({ status: 403, body: { code: 'TWO_FACTOR_REQUIRED' } });
  }
  await service.identity.settled();
  expect(await stateOf()).toEqual(before);
  expect(service.emails.filter(({ to }) => to === 'ada@new.example')).toHaveLength(1);

  // Without a session, no endpoint tells that a second factor is missing.
  for (const [endpoint, body] of Object.entries(SENT)) {
    expect((await send(service.browser(), endpoint, { token, ...body })).status, endpoint).toBe(401);
  }

  await service.rows('delete from auth."rateLimit"');
  await service.rows('update auth."twoFactor" set "lastUsedStep" = 0');
  expect((await old.post('/two-factor/verify-totp', { code: totpCode(uri) })).status).toBe(200);
  for (const [endpoint, body] of Object.entries(SENT)) {
    const given = endpoint.endsWith('confirm-address') ? { token: await tokenOf() } : body;
    expect((await send(old, endpoint, given)).status, endpoint).toBe(200);
  }
});

it('a changed password replaces the cookie; the session keeps its second factor and its id', async () => {
  const email = 'grace@example.com';
  const browser = await service.signedIn(email);
  const uri = String((await browser.post('/two-factor/enable', { password: PASSWORD })).body['totpURI']);
  expect((await browser.post('/two-factor/verify-totp', { code: totpCode(uri) })).status).toBe(200);
  const cookie = browser.cookie(SESSION)!;
  const { viewer } = (await browser.viewer()).body;
  expect(viewer).toMatchObject({ email, twoFactorPassed: true });

  const change = { currentPassword: PASSWORD, newPassword: 'another long password' };
  const changed = await browser.post('/change-password', change);
  expect([changed.status, changed.body]).toEqual([200, { status: true }]);
  const copied = service.browser();
  copied.setCookie(SESSION, cookie);
  expect((await copied.viewer()).body).toEqual({ viewer: null });
  expect((await browser.viewer()).body).toEqual({ viewer });
  expect((await browser.post('/two-factor/disable', { password: change.newPassword })).status).toBe(200);

  // As at a sign-in, except for the value.
  const again = await service.browser().post('/sign-in/email', { email, password: change.newPassword });
  expect(attributesOf(changed)).toEqual(attributesOf(again));
});

function attributesOf({ headers }: Reply): string[] {
  const [line = ''] = headers.getSetCookie().filter((cookie) => cookie.startsWith(`${SESSION}=`));
  return line.split('; ').slice(1);
}

function stateOf() {
  return service.rows(
    `select u.email, u."twoFactorEnabled", a.password, f.secret, f."backupCodes", (select count(*)::int from auth.verification) as links
     from auth."user" u join auth.account a on a."userId" = u.id join auth."twoFactor" f on f."userId" = u.id`,
  );
}
