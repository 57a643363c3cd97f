import { afterEach, beforeEach, expect, it } from 'vitest';

import { type Browser, IdentityService, PASSWORD } from '../../support/identity/service.js';

const OLD = 'ada@example.com';
const NEW = 'ada@new.example';
let service: IdentityService;

beforeEach(async () => {
  service = await IdentityService.start({ trustProxy: 1 });
});
afterEach(() => service.stop());

const addresses = async () =>
  (await service.rows<{ email: string }>('select email from auth."user" order by email')).map(({ email }) => email);
const notices = () =>
  service.rows<{ kind: string; to_address: string | null; data: object }>(
    `select kind, to_address, data from notice where kind <> 'session.new' order by created_at`,
  );

/** Asks for an address, and returns the token that it is sent. */
async function tokenFor(browser: Browser, email: string): Promise<string> {
  const asked = await browser.post('/change-address', { email, password: PASSWORD });
  expect(asked).toMatchObject({ status: 200, body: { status: true } });
  await service.identity.settled();
  const link = new URL(service.linkTo(email));
  expect(link.pathname).toBe('/settings/profile');
  return link.searchParams.get('confirm')!;
}

it('changes the address by a link to the new one, tells the old one, and ends all other links', async () => {
  const browser = await service.signedIn(OLD);
  await service.browser().post('/request-password-reset', { email: OLD });
  await service.identity.settled();
  const reset = new URL(service.linkTo(OLD)).searchParams.get('token');
  const token = await tokenFor(browser, NEW);
  expect(await addresses()).toEqual([OLD]);

  expect((await browser.post('/confirm-address', { token })).status).toBe(200);
  expect(await addresses()).toEqual([NEW]);
  expect((await browser.viewer()).body).toMatchObject({ viewer: { email: NEW, emailVerified: true } });
  expect(await notices()).toEqual([{ kind: 'address.changed', to_address: OLD, data: { email: NEW } }]);

  const late = await service.browser().post('/reset-password', { token: reset, newPassword: 'another long one' });
  expect(late.status).toBe(400);
  const again = service.browser();
  expect((await again.post('/sign-in/email', { email: OLD, password: PASSWORD })).status).toBe(401);
  expect((await again.post('/sign-in/email', { email: NEW, password: PASSWORD })).status).toBe(200);
});

it('takes a link once, even if it is used many times at once', async () => {
  const browser = await service.signedIn(OLD);
  const token = await tokenFor(browser, NEW);
  const used = await Promise.all(Array.from({ length: 8 }, () => browser.post('/confirm-address', { token })));
  expect(used.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(used.filter(({ status }) => status === 400)).toHaveLength(7);
  expect(await notices()).toHaveLength(1);
});

it('of two links to two addresses that are used at once, one counts', async () => {
  const browser = await service.signedIn(OLD);
  for (let round = 0; round < 4; round += 1) {
    const names = [`one${round}@new.example`, `two${round}@new.example`];
    const tokens = [await tokenFor(browser, names[0]!), await tokenFor(browser, names[1]!)];
    const used = await Promise.all(tokens.map((token) => browser.post('/confirm-address', { token })));
    expect(used.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect(names).toContain((await addresses())[0]);
  }
});

it('refuses an address that somebody took meanwhile, or has, and keeps the old one', async () => {
  const browser = await service.signedIn(OLD);
  const token = await tokenFor(browser, NEW);
  await service.identity.createUser({ email: NEW, password: PASSWORD, name: 'Eve', emailVerified: true });
  const used = await browser.post('/confirm-address', { token });
  expect(used).toMatchObject({ status: 409, body: { code: 'ADDRESS_TAKEN' } });
  expect(await addresses()).toEqual([OLD, NEW]);
  expect(await notices()).toEqual([]);
  // The request itself does not tell whether an address has an account.
  await tokenFor(browser, NEW);
});

it('needs the session of the user who asked: nobody’s and another user’s change nothing', async () => {
  const browser = await service.signedIn(OLD);
  const token = await tokenFor(browser, NEW);
  expect((await service.browser().post('/confirm-address', { token })).status).toBe(401);
  const eve = await service.signedIn('eve@example.com');
  expect((await eve.post('/confirm-address', { token })).status).toBe(400);
  expect(await addresses()).toEqual([OLD, 'eve@example.com']);
  expect((await browser.post('/confirm-address', { token })).status).toBe(200);
});

it('refuses links that expired, were altered, or were sent before the password changed', async () => {
  const browser = await service.signedIn(OLD);
  const token = await tokenFor(browser, NEW);
  const [secret = ''] = token.split('.');
  const altered = `${secret}.${Buffer.from('eve@example.com').toString('base64url')}`;
  for (const wrong of [altered, '', 'x', `${token}x`, 'a'.repeat(5_000), `${secret}.AAAA`]) {
    expect((await browser.post('/confirm-address', { token: wrong })).status).toBe(400);
  }
  await service.rows(`update auth.verification set "expiresAt" = now() - interval '1 second'`);
  expect((await browser.post('/confirm-address', { token })).status).toBe(400);

  const fresh = await tokenFor(browser, NEW);
  await browser.post('/change-password', { currentPassword: PASSWORD, newPassword: 'another long one' });
  expect((await browser.post('/confirm-address', { token: fresh })).status).toBe(400);
  expect(await addresses()).toEqual([OLD]);
});

it('needs the password, an address, and another one than now', async () => {
  const browser = await service.signedIn(OLD);
  const codes = [];
  for (const body of [
    { email: NEW, password: 'wrong wrong wrong' },
    { email: OLD.toUpperCase(), password: PASSWORD },
    { email: 'not an address', password: PASSWORD },
    { email: ` ${NEW}\r\nBcc: eve@example.com`, password: PASSWORD },
    { email: NEW },
  ]) {
    const { status, body: answer } = await browser.post('/change-address', body);
    expect(status).toBe(400);
    codes.push(answer['code']);
  }
  expect(codes).toEqual([
    'INVALID_PASSWORD',
    'SAME_ADDRESS',
    'VALIDATION_ERROR',
    'VALIDATION_ERROR',
    'VALIDATION_ERROR',
  ]);
  const nobody = await service.browser().post('/change-address', { email: NEW, password: PASSWORD });
  expect(nobody.status).toBe(401);
  await service.identity.settled();
  expect(service.emails).toEqual([]);
});

it('a change is refused to the demo account, which the books know by its address', async () => {
  const browser = await service.signedIn('demo@example.com');
  const asked = await browser.post('/change-address', { email: NEW, password: PASSWORD });
  expect(asked).toMatchObject({ status: 403, body: { code: 'FIXED_ADDRESS' } });
  await service.identity.settled();
  expect(service.emails).toEqual([]);
});

it('sends a limited number of links to one mailbox, and allows a limited number of passwords', async () => {
  const browser = await service.signedIn(OLD);
  const statuses = [];
  for (let n = 0; n < 6; n += 1) {
    statuses.push((await browser.post('/change-address', { email: NEW, password: PASSWORD })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  await service.identity.settled();
  expect(service.emails).toHaveLength(5);
});
