import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { AccessTokenService } from '../../../src/domain/accounts/accessTokens/accessTokens.service.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';
import { IS_FULL } from '../../support/effort.js';
import { type Browser, IdentityService, PASSWORD, type Reply, totpCode } from '../../support/identity/service.js';

const EMAIL = 'ada@example.com';
const NEW_PASSWORD = 'a whole new password';
const ROUNDS = IS_FULL ? 200 : 8;
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

/** What resets the password by a new link. */
async function resetOf(email = EMAIL): Promise<(newPassword?: string) => Promise<Reply>> {
  await elsewhere().post('/request-password-reset', { email });
  await service.identity.settled();
  const token = new URL(service.linkTo(email)).searchParams.get('token')!;
  return (newPassword = NEW_PASSWORD) => elsewhere().post('/reset-password', { newPassword, token });
}

/** A user with a second factor, and a browser whose session has passed it. */
async function enrolled(): Promise<{ browser: Browser; uri: string }> {
  const browser = await service.signedIn(EMAIL);
  const uri = String((await browser.post('/two-factor/enable', { password: PASSWORD })).body['totpURI']);
  expect((await browser.post('/two-factor/verify-totp', { code: totpCode(uri) })).status).toBe(200);
  return { browser, uri };
}

/** Lets inserts into a table wait, inside their transaction, until the returned function is called. */
async function holdUp(table: string): Promise<{ waiting: () => Promise<number>; release: () => Promise<void> }> {
  service.database.leaveUnproven('a trigger of the test delays inserts');
  await service.rows(`create function public.hold_up() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(42); return new; end'`);
  await service.rows(`create trigger hold_up before insert on ${table} for each row execute function public.hold_up()`);
  const holder = await service.admin.connect();
  await holder.query('select pg_advisory_lock(42)');
  return {
    waiting: () => statementsWaiting(service.admin),
    release: async () => {
      await holder.query('select pg_advisory_unlock(42)');
      holder.release();
    },
  };
}

/** Begins what opens a session, resets the password before that session is there, and returns what was begun. */
async function resetDuring(begin: () => Promise<Reply>): Promise<Reply> {
  const reset = await resetOf();
  const { waiting, release } = await holdUp('auth.session');
  const begun = begin();
  await expect.poll(waiting).toBe(1);
  expect((await reset()).status).toBe(200);
  await release();
  return begun;
}

describe('a password reset', () => {
  it.each(['', ' that waits for its second step'])(
    'ends a sign-in%s, whose old password was correct a moment before',
    async (secondStep) => {
      if (secondStep === '') await service.signedIn(EMAIL);
      else await enrolled();
      const thief = elsewhere();
      const refused = await resetDuring(() => thief.post('/sign-in/email', { email: EMAIL, password: PASSWORD }));
      expect([refused.status, refused.body['code']]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD']);
      expect((await thief.viewer()).body).toEqual({ viewer: null });
      expect(await service.rows('select from auth.session')).toEqual([]);
      expect(await service.rows(`select from auth.verification v, auth."user" u where v.value = u.id::text`)).toEqual(
        [],
      );
      expect((await elsewhere().post('/sign-in/email', { email: EMAIL, password: NEW_PASSWORD })).status).toBe(200);
    },
  );

  it('ends the session of a link that confirmed the address a moment before', async () => {
    await elsewhere().post('/sign-up/email', { name: 'Ada', email: EMAIL, password: PASSWORD });
    await service.identity.settled();
    const confirm = service.linkTo(EMAIL);
    const early = elsewhere();
    expect((await resetDuring(() => early.get(confirm))).status).toBe(302);
    expect((await early.viewer()).body).toEqual({ viewer: null });
    expect(await service.rows('select from auth.session')).toEqual([]);
    expect((await elsewhere().post('/sign-in/email', { email: EMAIL, password: NEW_PASSWORD })).status).toBe(200);
  });

  it.each(['totp', 'backup-code'])(
    'ends a second step by %s whose challenge was valid a moment before',
    async (kind) => {
      const { browser, uri } = await enrolled();
      const codes = await browser.post('/two-factor/generate-backup-codes', { password: PASSWORD });
      const [backupCode] = codes.body['backupCodes'] as string[];
      const thief = elsewhere();
      await thief.post('/sign-in/email', { email: EMAIL, password: PASSWORD });
      const code = kind === 'totp' ? totpCode(uri, 1) : backupCode;
      const second = await resetDuring(() => thief.post(`/two-factor/verify-${kind}`, { code }));
      expect(second.status).toBe(401);
      expect((await thief.viewer()).body).toEqual({ viewer: null });
      expect(await service.rows('select from auth.session')).toEqual([]);
      expect(await service.rows(`select from auth.verification v, auth."user" u where v.value = u.id::text`)).toEqual(
        [],
      );
    },
  );

  it('ends a session that replaces an earlier one when the second factor is switched off', async () => {
    const { browser } = await enrolled();
    const off = await resetDuring(() => browser.post('/two-factor/disable', { password: PASSWORD }));
    expect(off.status).toBe(401);
    expect(await service.rows('select from auth.session')).toEqual([]);
  });

  it(`is not undone by a change of the password that began before it, ${ROUNDS} times`, async () => {
    let resets = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      await service.rows('delete from auth."rateLimit"');
      const email = `owner${round}@example.com`;
      const thief = await service.signedIn(email);
      const reset = await resetOf(email);
      const change = { currentPassword: PASSWORD, newPassword: 'password of a thief' };
      const [owner, changed] = await Promise.all([reset(), thief.post('/change-password', change)]);
      if (owner.status !== 200) {
        // The change came first, and has ended the link.
        expect([changed.status, owner.body['code'], (await reset()).body['code']]).toEqual([
          200,
          'INVALID_TOKEN',
          'INVALID_TOKEN',
        ]);
        continue;
      }
      resets += 1;
      expect((await elsewhere().post('/sign-in/email', { email, password: NEW_PASSWORD })).status).toBe(200);
      const stolen = { email, password: change.newPassword };
      expect((await elsewhere().post('/sign-in/email', stolen)).status).toBe(401);
      expect((await thief.viewer()).body).toEqual({ viewer: null });
    }
    expect(resets).toBeGreaterThan(0);
  });

  describe('and access tokens', () => {
    let db: PostgresDatabase;
    let tokens: AccessTokenService;
    beforeEach(async () => {
      db = await PostgresDatabase.connect({ url: service.database.runtimeUrl, maxConnections: 4 });
      tokens = new AccessTokenService({ db, identity: service.identity });
    });
    afterEach(() => db.close());

    const sessionOf = async (email: string) => {
      const [row] = await service.rows<{ accountId: string; sessionId: string }>(
        `select u.id as "accountId", s.id as "sessionId" from auth."user" u join auth.session s on s."userId" = u.id
         where u.email = $1`,
        [email],
      );
      return row!;
    };
    const wanted = { name: 'of a thief', scopes: ['manage' as const], expiresInDays: null };
    const living = () => service.rows('select name from access_token where revoked_at is null');

    it('one that is created meanwhile ends with the others', async () => {
      await service.signedIn(EMAIL);
      const by = await sessionOf(EMAIL);
      const reset = await resetOf();
      const { waiting, release } = await holdUp('access_token');
      const created = tokens.create(by, wanted);
      await expect.poll(waiting).toBe(1);
      const done = reset();
      // Waits for the token, so that it sees it.
      await expect.poll(waiting).toBe(2);
      await release();
      expect((await done).status).toBe(200);
      const { token } = await created;
      expect(await tokens.viewerOf(token)).toBeNull();
      expect(await living()).toEqual([]);
    });

    it(`none outlives it, ${ROUNDS} times at once`, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await service.rows('delete from auth."rateLimit"');
        const email = `owner${round}@example.com`;
        await service.signedIn(email);
        const by = await sessionOf(email);
        const reset = await resetOf(email);
        const create = async () => {
          for (let n = 0; n < 20; n += 1) await tokens.create(by, wanted);
        };
        const [done, created] = await Promise.allSettled([reset(), create()]);
        expect(done).toMatchObject({ status: 'fulfilled', value: { status: 200 } });
        if (created.status === 'rejected') expect(created.reason).toMatchObject({ code: 'UNAUTHENTICATED' });
        expect(await living()).toEqual([]);
        await expect(tokens.create(by, wanted)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      }
    });
  });
});
