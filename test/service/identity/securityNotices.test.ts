import { afterEach, beforeEach, expect, it } from 'vitest';

import { type Browser, IdentityService, PASSWORD, totpCode } from '../../support/identity/service.js';

const EMAIL = 'ada@example.com';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
let service: IdentityService;

beforeEach(async () => {
  service = await IdentityService.start({ trustProxy: 1 });
});
afterEach(() => service.stop());

const kinds = async () =>
  (await service.rows<{ kind: string }>('select kind from notice order by created_at, key')).map(({ kind }) => kind);
const credentials = { email: EMAIL, password: PASSWORD };

it('a sign-in by a new browser is reported, a second one by it is not', async () => {
  await service.identity.createUser({ ...credentials, name: 'Ada', emailVerified: true });
  const browser = service.browser({ 'user-agent': FIREFOX, 'x-forwarded-for': '203.0.113.7' });
  await browser.post('/sign-in/email', credentials);
  const rows = await service.rows<{ data: object }>('select data from notice');
  expect(rows).toMatchObject([
    { data: { device: 'Firefox on Windows', network: expect.stringMatching(/^203\.0\.113/) } },
  ]);
  await browser.post('/sign-out');
  await browser.post('/sign-in/email', credentials);
  expect(await kinds()).toEqual(['session.new']);
  // Another browser with the same name, and one whose name is an attack.
  await service.browser({ 'user-agent': FIREFOX }).post('/sign-in/email', credentials);
  await service.browser({ 'user-agent': '<script>https://evil.example' }).post('/sign-in/email', credentials);
  const devices = await service.rows<{ device: string }>(
    `select data->>'device' as device from notice order by created_at`,
  );
  expect(devices.map(({ device }) => device)).toEqual(['Firefox on Windows', 'Firefox on Windows', 'Another program']);
});

it('with a second factor, a sign-in is reported once it has passed, and neither reported nor remembered after the password', async () => {
  const home = await service.signedIn(EMAIL);
  const uri = String((await home.post('/two-factor/enable', { password: PASSWORD })).body['totpURI']);
  await home.post('/two-factor/verify-totp', { code: totpCode(uri) });
  await service.rows('delete from notice');
  const passes = async (browser: Browser) => {
    await service.rows('update auth."twoFactor" set "lastUsedStep" = 0');
    expect((await browser.post('/two-factor/verify-totp', { code: totpCode(uri) })).status).toBe(200);
  };

  const browser = service.browser({ 'user-agent': FIREFOX });
  await browser.post('/sign-in/email', credentials);
  await browser.post('/two-factor/verify-totp', { code: '000000' });
  await browser.post('/sign-in/email', credentials);
  expect(await kinds()).toEqual([]);
  await passes(browser);
  expect(await kinds()).toEqual(['session.new']);

  await browser.post('/sign-out');
  await browser.post('/sign-in/email', credentials);
  await passes(browser);
  expect(await kinds()).toEqual(['session.new']);
});

it('a wrong password, a sign-up and its confirmation are not reported', async () => {
  const browser = service.browser();
  await browser.post('/sign-up/email', { ...credentials, name: 'Ada', callbackURL: '/' });
  await service.identity.settled();
  await browser.get(service.linkTo(EMAIL));
  await service.browser().post('/sign-in/email', { email: EMAIL, password: 'wrong wrong wrong' });
  await browser.post('/sign-out');
  await browser.post('/sign-in/email', credentials);
  expect(await kinds()).toEqual([]);
});

it('a changed and a reset password are reported, the first password of an unconfirmed address is not', async () => {
  const browser = await service.signedIn(EMAIL);
  await browser.post('/change-password', { currentPassword: PASSWORD, newPassword: 'another long one' });
  expect(await kinds()).toEqual(['session.new', 'password.changed']);
  await browser.post('/request-password-reset', { email: EMAIL });
  await service.identity.settled();
  const token = new URL(service.linkTo(EMAIL)).searchParams.get('token');
  await browser.post('/reset-password', { token, newPassword: PASSWORD });
  expect(await kinds()).toEqual(['session.new', 'password.changed', 'password.changed']);
  const failed = await browser.post('/change-password', { currentPassword: 'wrong', newPassword: 'yet another one' });
  expect(failed.status).not.toBe(200);

  await service.browser().post('/sign-up/email', { email: 'eve@example.com', password: PASSWORD, name: 'Eve' });
  await service.browser().post('/request-password-reset', { email: 'eve@example.com' });
  await service.identity.settled();
  const first = new URL(service.linkTo('eve@example.com')).searchParams.get('token');
  await service.browser().post('/reset-password', { token: first, newPassword: 'another long one' });
  expect(await kinds()).toHaveLength(3);
});

it('turning the second factor on or off is reported', async () => {
  const browser = await service.signedIn(EMAIL);
  const { body } = await browser.post('/two-factor/enable', { password: PASSWORD });
  expect(await kinds()).toEqual(['session.new']);
  await browser.post('/two-factor/verify-totp', { code: totpCode(String(body['totpURI'])) });
  expect(await kinds()).toEqual(['session.new', 'two_factor.on']);
  await browser.post('/two-factor/disable', { password: PASSWORD });
  expect(await kinds()).toEqual(['session.new', 'two_factor.on', 'two_factor.off']);
});
