import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { IdentityService, PASSWORD } from '../../support/identity/service.js';

let service: IdentityService;
beforeAll(async () => {
  service = await IdentityService.start();
});
afterAll(() => service.stop());

const signUp = (email: string, password = PASSWORD) =>
  service.browser().post('/sign-up/email', { name: 'Ada', email, password });

describe('signing up', () => {
  it('emails a link that confirms the email and signs in', async () => {
    const browser = service.browser();
    const signedUp = await browser.post('/sign-up/email', {
      name: 'Ada',
      email: 'Ada@Example.com',
      password: PASSWORD,
    });
    expect(signedUp.status).toBe(200);
    expect((await browser.viewer()).body).toEqual({ viewer: null });

    await service.identity.settled();
    const opened = await browser.get(service.linkTo('ada@example.com'));

    expect(opened.status).toBe(302);
    expect(opened.headers.get('location')).toBe('/');
    expect((await browser.viewer()).body['viewer']).toMatchObject({
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada',
      role: 'owner',
      suspended: false,
      twoFactorEnabled: false,
    });
  });

  it('opens an account with wallet and counters', async () => {
    await signUp('whole@example.com');
    const [found] = await service.rows<{ account: string; wallet: string; counts: string }>(
      `select (select count(*) from account where id = u.id) as account,
              (select count(*) from ledger_account where owner_id = u.id) as wallet,
              (select count(*) from video_count where account_id = u.id) as counts
       from auth."user" u where email = 'whole@example.com'`,
    );
    expect(found).toEqual({ account: '1', wallet: '14', counts: '1' });
  });

  it('leaves neither user nor account if one of them fails', async () => {
    await service.admin.query(`
      create function refuse_name() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before insert on auth.account for each row execute function refuse_name()`);
    try {
      expect((await signUp('half@example.com')).status).toBeGreaterThanOrEqual(400);
    } finally {
      await service.admin.query('drop function refuse_name cascade');
    }
    const left = await service.rows(`select 1 from auth."user" where email = 'half@example.com'`);
    const accounts = await service.rows(`select 1 from account where id not in (select id from auth."user")`);
    expect([left, accounts]).toEqual([[], []]);
  });

  it('gives the same response for a known email, and notifies its owner', async () => {
    await service.identity.createUser({
      email: 'known@example.com',
      password: PASSWORD,
      name: 'Known',
      emailVerified: true,
    });
    const known = await signUp('known@example.com', 'another password');
    const unknown = await signUp('unknown@example.com', 'another password');

    expect(known.status).toBe(200);
    expect(shape(known.body)).toEqual(shape(unknown.body));
    await service.identity.settled();
    expect(service.emails.findLast((sent) => sent.to === 'known@example.com')?.subject).toMatch(/already/);
  });

  it('lets only the reader of the mailbox set the password of an email that signed up twice', async () => {
    await signUp('squat@example.com', 'password of a stranger');
    const browser = service.browser();
    await browser.post('/sign-up/email', { name: 'Owner', email: 'squat@example.com', password: PASSWORD });
    await service.identity.settled();

    const link = new URL(service.linkTo('squat@example.com'));
    expect(link.pathname).toBe('/reset-password');
    const token = link.searchParams.get('token');
    // An access token that a stranger left behind.
    await service.rows(
      `insert into access_token (account_id, id, name, scopes, hash, prefix, last4, created_at)
       select id, gen_random_uuid(), 'left behind', '{read}', 'x'::bytea, 'dpat_x', 'xxxx', now()
       from auth."user" where email = $1`,
      ['squat@example.com'],
    );
    expect((await browser.post('/reset-password', { newPassword: PASSWORD, token })).status).toBe(200);
    const left = await service.rows<{ live: boolean }>('select revoked_at is null as live from access_token');
    expect(left).toEqual([{ live: false }]);

    const signIn = (password: string) => browser.post('/sign-in/email', { email: 'squat@example.com', password });
    expect((await signIn('password of a stranger')).status).toBe(401);
    expect((await signIn(PASSWORD)).status).toBe(200);
  });

  it('refuses short passwords and invalid emails', async () => {
    expect((await signUp('short@example.com', '123456789')).body).toMatchObject({ code: 'PASSWORD_TOO_SHORT' });
    expect((await signUp('nowhere')).status).toBe(400);
  });
});

describe('a link that confirms an email', () => {
  it('is refused when changed', async () => {
    const browser = service.browser();
    const reply = await browser.get(`${service.url}/api/auth/verify-email?token=made.up.token&callbackURL=/hello`);
    expect(reply.headers.get('location')).toBe('/hello?error=INVALID_TOKEN');
  });

  it('does not redirect to other sites', async () => {
    const reply = await service
      .browser()
      .get(`${service.url}/api/auth/verify-email?token=x&callbackURL=https://evil.example`);
    expect(reply.status).toBe(403);
  });

  it('is required before signing in, and then sent again', async () => {
    await service.identity.createUser({
      email: 'new@example.com',
      password: PASSWORD,
      name: 'New',
      emailVerified: false,
    });
    const reply = await service.browser().post('/sign-in/email', { email: 'new@example.com', password: PASSWORD });
    expect(reply.status).toBe(403);
    expect(reply.body).toMatchObject({ code: 'EMAIL_NOT_VERIFIED' });
    await service.identity.settled();
    expect(service.linkTo('new@example.com')).toContain('/api/auth/verify-email?token=');
  });
});

it('signing up works while the mail server is away', async () => {
  const mute = await IdentityService.start({ failEmails: true });
  try {
    const browser = mute.browser();
    const email = 'ada@example.com';
    expect((await browser.post('/sign-up/email', { name: 'Ada', email, password: PASSWORD })).status).toBe(200);
    expect((await browser.post('/send-verification-email', { email })).body).toEqual({ status: true });
    expect(await mute.rows(`select 1 from auth."user"`)).toHaveLength(1);
  } finally {
    await mute.stop();
  }
});

function shape(body: Record<string, unknown>): unknown {
  return { keys: Object.keys(body), user: Object.keys(body['user'] as object) };
}
