import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { type Browser, IdentityService, PASSWORD, totpCode } from '../../support/identity/service.js';

let service: IdentityService;
beforeAll(async () => {
  service = await IdentityService.start();
});
beforeEach(() => service.rows('delete from auth."rateLimit"'));
afterAll(() => service.stop());

interface Enrolled {
  email: string;
  uri: string;
  backupCodes: string[];
  browser: Browser;
}

let made = 0;

/** A user with TOTP, whose current code is still unused. */
async function enrolled(): Promise<Enrolled> {
  made += 1;
  const email = `totp${made}@example.com`;
  const browser = await service.signedIn(email);
  const { body } = await browser.post('/two-factor/enable', { password: PASSWORD });
  const uri = String(body['totpURI']);
  const on = await browser.post('/two-factor/verify-totp', { code: totpCode(uri) });
  expect(on.status).toBe(200);
  await service.rows('update auth."twoFactor" set "lastUsedStep" = 0');
  return { email, uri, backupCodes: body['backupCodes'] as string[], browser };
}

async function passwordGiven(email: string): Promise<Browser> {
  const browser = service.browser();
  const reply = await browser.post('/sign-in/email', { email, password: PASSWORD });
  expect(reply.body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['totp'] });
  return browser;
}

describe('TOTP', () => {
  it('is required once it is on, and the password alone gives no access', async () => {
    const { email, uri, browser } = await enrolled();
    expect((await browser.viewer()).body['viewer']).toMatchObject({ twoFactorEnabled: true });

    const other = await passwordGiven(email);
    expect((await other.viewer()).body).toEqual({ viewer: null });
    expect((await other.post('/two-factor/verify-totp', { code: totpCode(uri) })).status).toBe(200);
    expect((await other.viewer()).body['viewer']).toMatchObject({ email });
  });

  it('counts as passed only in the session that sent a code', async () => {
    const { email, uri, browser } = await enrolled();
    const passed = async (who: Browser) =>
      ((await who.viewer()).body['viewer'] as { twoFactorPassed: boolean }).twoFactorPassed;
    expect(await passed(browser)).toBe(true);

    // For example a session from a link in an email, which requires no code.
    const other = await passwordGiven(email);
    await service.rows('update auth."twoFactor" set "lastUsedStep" = 0');
    await other.post('/two-factor/verify-totp', { code: totpCode(uri) });
    await service.rows('update auth.session set "twoFactorPassed" = null');
    expect([await passed(browser), await passed(other)]).toEqual([false, false]);

    await other.post('/two-factor/verify-totp', { code: '000000' });
    expect(await passed(other)).toBe(false);
    await service.rows('update auth."twoFactor" set "lastUsedStep" = 0');
    expect((await other.post('/two-factor/verify-totp', { code: totpCode(uri) })).status).toBe(200);
    expect([await passed(browser), await passed(other)]).toEqual([false, true]);
  });

  it('must be passed again with another secret', async () => {
    const { browser } = await enrolled();
    await browser.post('/two-factor/disable', { password: PASSWORD });
    const { body } = await browser.post('/two-factor/enable', { password: PASSWORD });
    const viewer = async () => (await browser.viewer()).body['viewer'];
    expect(await viewer()).toMatchObject({ twoFactorEnabled: false, twoFactorPassed: false });
    await service.rows('update auth."user" set "twoFactorEnabled" = true where email = $1', [
      ((await viewer()) as { email: string }).email,
    ]);
    expect(await viewer()).toMatchObject({ twoFactorPassed: false });
    expect(body['totpURI']).toBeTypeOf('string');
  });

  it('is switched on with the password and a correct code only', async () => {
    const browser = await service.signedIn('careful@example.com');
    const refused = await browser.post('/two-factor/enable', { password: 'not the password' });
    expect(refused.body).toMatchObject({ code: 'INVALID_PASSWORD' });

    await browser.post('/two-factor/enable', { password: PASSWORD });
    expect((await browser.post('/two-factor/verify-totp', { code: '000000' })).body).toMatchObject({
      code: 'INVALID_CODE',
    });
    expect((await browser.viewer()).body['viewer']).toMatchObject({ twoFactorEnabled: false });
  });

  it('accepts a code once, however close the second try comes', async () => {
    const { email, uri } = await enrolled();
    const code = totpCode(uri);
    const racers = await Promise.all([1, 2, 3, 4].map(() => passwordGiven(email)));
    const statuses = await Promise.all(
      racers.map(async (racer) => (await racer.post('/two-factor/verify-totp', { code })).status),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401]);

    const later = await passwordGiven(email);
    expect((await later.post('/two-factor/verify-totp', { code })).body).toMatchObject({ code: 'INVALID_CODE' });
    expect((await later.viewer()).body).toEqual({ viewer: null });
    expect((await later.post('/two-factor/verify-totp', { code: totpCode(uri, 1) })).status).toBe(200);
  });

  it('refuses an older code after a newer one', async () => {
    const { email, uri } = await enrolled();
    const browser = await passwordGiven(email);
    const older = totpCode(uri);
    expect((await browser.post('/two-factor/verify-totp', { code: totpCode(uri, 1) })).status).toBe(200);
    const other = await passwordGiven(email);
    expect((await other.post('/two-factor/verify-totp', { code: older })).status).toBe(401);
  });

  it('accepts codes again after a clock that was a year ahead, each once', async () => {
    const { email, uri } = await enrolled();
    const aYearAhead = Math.floor(Date.now() / 30_000) + 366 * 2880;
    await service.rows('update auth."twoFactor" set "lastUsedStep" = $1', [aYearAhead]);
    const code = totpCode(uri);
    expect((await (await passwordGiven(email)).post('/two-factor/verify-totp', { code })).status).toBe(200);
    expect((await (await passwordGiven(email)).post('/two-factor/verify-totp', { code })).status).not.toBe(200);
  });

  it('counts a used code as a failure, and ends a challenge after five', async () => {
    const { email, uri } = await enrolled();
    const code = totpCode(uri);
    await (await passwordGiven(email)).post('/two-factor/verify-totp', { code });
    const browser = await passwordGiven(email);
    for (let tries = 0; tries < 5; tries += 1) {
      expect((await browser.post('/two-factor/verify-totp', { code })).status).toBe(401);
    }
    const ended = await browser.post('/two-factor/verify-totp', { code: totpCode(uri, 1) });
    expect(ended.body).toMatchObject({ code: 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE' });
  });

  it('stores the secret and the backup codes encrypted', async () => {
    const { email, uri, backupCodes } = await enrolled();
    const [row] = await service.rows<{ line: string }>(
      `select t::text as line from auth."twoFactor" t join auth."user" u on u.id = t."userId" where email = $1`,
      [email],
    );
    expect(row?.line).not.toContain(new URL(uri).searchParams.get('secret'));
    expect(row?.line).not.toContain(backupCodes[0]);
  });

  it('refuses to sign in with the code that switched it on', async () => {
    const browser = await service.signedIn('same@example.com');
    const { body } = await browser.post('/two-factor/enable', { password: PASSWORD });
    const code = totpCode(String(body['totpURI']));
    expect((await browser.post('/two-factor/verify-totp', { code })).status).toBe(200);
    const other = await passwordGiven('same@example.com');
    expect((await other.post('/two-factor/verify-totp', { code })).status).toBe(401);
  });

  it('can be switched off with the password', async () => {
    const { email, browser } = await enrolled();
    expect((await browser.post('/two-factor/disable', { password: PASSWORD })).status).toBe(200);
    const plain = service.browser();
    await plain.post('/sign-in/email', { email, password: PASSWORD });
    expect((await plain.viewer()).body['viewer']).toMatchObject({ twoFactorEnabled: false });
  });
});

describe('backup codes', () => {
  it('work once each', async () => {
    const { email, backupCodes } = await enrolled();
    expect(backupCodes).toHaveLength(10);
    const first = await passwordGiven(email);
    expect((await first.post('/two-factor/verify-backup-code', { code: backupCodes[0] })).status).toBe(200);

    const second = await passwordGiven(email);
    const again = await second.post('/two-factor/verify-backup-code', { code: backupCodes[0] });
    expect(again.body).toMatchObject({ code: 'INVALID_BACKUP_CODE' });
    expect((await second.post('/two-factor/verify-backup-code', { code: backupCodes[1] })).status).toBe(200);
  });

  it('are replaced by new ones', async () => {
    const { email, backupCodes, browser } = await enrolled();
    const fresh = await browser.post('/two-factor/generate-backup-codes', { password: PASSWORD });
    const other = await passwordGiven(email);
    expect((await other.post('/two-factor/verify-backup-code', { code: backupCodes[0] })).status).toBe(401);
    const code = (fresh.body['backupCodes'] as string[])[0];
    expect((await other.post('/two-factor/verify-backup-code', { code })).status).toBe(200);
  });
});
