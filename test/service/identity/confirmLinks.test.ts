import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Browser, IdentityService, PASSWORD } from '../../support/identity/service.js';

const EMAIL = 'ada@example.com';
let service: IdentityService;

beforeEach(async () => {
  service = await IdentityService.start({ trustProxy: 1 });
});
afterEach(() => service.stop());

let lastAddress = 0;
/** A browser at a new address. */
function elsewhere(): Browser {
  lastAddress += 1;
  return service.browser({ 'x-forwarded-for': `203.0.113.${lastAddress}` });
}

describe('links that confirm an email', () => {
  /** Signs up, and returns the link in the email. */
  async function confirmation(): Promise<string> {
    await elsewhere().post('/sign-up/email', { name: 'Ada', email: EMAIL, password: PASSWORD });
    await service.identity.settled();
    return service.linkTo(EMAIL);
  }
  const isSignedIn = async (browser: Browser) => (await browser.viewer()).body['viewer'] !== null;
  const isConfirmed = async () => (await service.rows('select from auth."user" where "emailVerified"')).length === 1;

  it('work once, even if the email has to be confirmed again', async () => {
    const link = await confirmation();
    const first = elsewhere();
    await first.get(link);
    expect([await isSignedIn(first), await isConfirmed()]).toEqual([true, true]);
    await service.rows('update auth."user" set "emailVerified" = false');
    const second = elsewhere();
    expect((await second.get(link)).headers.get('location')).toContain('INVALID_TOKEN');
    expect([await isSignedIn(second), await isConfirmed()]).toEqual([false, false]);
  });

  it('work once when opened many times at once', async () => {
    const link = await confirmation();
    const browsers = Array.from({ length: 8 }, () => elsewhere());
    await Promise.all(browsers.map((browser) => browser.get(link)));
    expect((await Promise.all(browsers.map(isSignedIn))).filter(Boolean)).toHaveLength(1);
  });

  it('work once each if two were sent in one second', async () => {
    const first = await confirmation();
    await elsewhere().post('/send-verification-email', { email: EMAIL });
    await service.identity.settled();
    const second = service.linkTo(EMAIL);
    expect(second).not.toBe(first);
    for (const [link, works] of [
      [second, true],
      [first, true],
      [second, false],
      [first, false],
    ] as const) {
      await service.rows('update auth."user" set "emailVerified" = false');
      await elsewhere().get(link);
      expect(await isConfirmed()).toBe(works);
    }
  });

  it('do nothing once their user has changed the email, nor for its next user', async () => {
    const link = await confirmation();
    await service.rows(`update auth."user" set email = 'ada@elsewhere.example'`);
    await elsewhere().get(link);
    expect(await isConfirmed()).toBe(false);
    const next = await confirmation();
    await elsewhere().get(link);
    expect(await isConfirmed()).toBe(false);
    await elsewhere().get(next);
    expect(await isConfirmed()).toBe(true);
  });

  it('do nothing by their signature alone', async () => {
    const link = await confirmation();
    await service.rows('delete from auth.verification');
    const browser = elsewhere();
    await browser.get(link);
    expect([await isSignedIn(browser), await isConfirmed()]).toEqual([false, false]);
  });
});
