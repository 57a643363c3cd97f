import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { IdentityService, PASSWORD } from '../../support/identity/service.js';

let service: IdentityService;
let referrerId: string;
let code: string;
let visitors = 0;

beforeAll(async () => {
  service = await IdentityService.start({ trustProxy: 1 });
  referrerId = await newUser('Re.Ferrer@gmail.com');
  code = await codeOf(referrerId);
});
afterAll(() => service.stop());

describe('referral codes', () => {
  it('are created with the account, with eight unambiguous characters', async () => {
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    await service.rows('select open_account($1)', [referrerId]);
    expect(await codeOf(referrerId)).toBe(code);
  });

  it('are unique among thousands, and use the whole alphabet', async () => {
    const [row] = await service.rows<{ codes: string; letters: string }>(`
      with code as (select new_referral_code() as code from generate_series(1, 5000))
      select count(distinct code) as codes, count(distinct letter) as letters
      from code, regexp_split_to_table(code, '') letter`);
    expect(row).toEqual({ codes: '5000', letters: '32' });
  });

  it('are created for accounts without one, also at once', async () => {
    await service.rows('delete from referral_code where account_id = $1', [referrerId]);
    await Promise.all(Array.from({ length: 8 }, () => service.rows('select open_account($1)', [referrerId])));
    expect(await codeOf(referrerId)).toHaveLength(8);
    await service.rows('update referral_code set code = $2 where account_id = $1', [referrerId, code]);
  });
});

describe('signing up with a code', () => {
  it('records the referral with the user', async () => {
    const inviteeId = await signUp('ada@example.com', code);
    expect(await referralOf(inviteeId)).toEqual({
      referrer_id: referrerId,
      code,
      status: 'pending',
      reason: null,
      masked_email: 'a•••@example.com',
    });
    expect(await service.rows('select kind from referral_outbox where account_id = $1', [inviteeId])).toEqual([
      { kind: 'joined' },
    ]);
  });

  it('accepts the code however it is typed', async () => {
    await service.rows(`update referral_code set code = 'A0B1C2D3' where account_id = $1`, [referrerId]);
    try {
      expect(await referralOf(await signUp('typed@example.com', ' aob-l c2d3 '))).toMatchObject({ code: 'A0B1C2D3' });
    } finally {
      await service.rows('update referral_code set code = $2 where account_id = $1', [referrerId, code]);
    }
  });

  it.each([
    ['no code', undefined],
    ['an empty code', ''],
    ['a code that nobody has', 'ZZZZZZZZ'],
    ['a number', 12345678],
    ['a list', ['A']],
    ['something longer than any code', 'A'.repeat(5000)],
    ['other characters', `'; drop table "user"; \u0000`],
  ])('works without a referral for %s', async (name, given) => {
    const inviteeId = await signUp(`without-${name.replaceAll(' ', '-')}@example.com`, given);
    expect(await referralOf(inviteeId)).toBeUndefined();
  });

  it.each(['referrer+again@googlemail.com', 'R.E.F.E.R.R.E.R@GMAIL.com'])(
    'cancels a self-referral under another spelling: %s',
    async (email) => {
      const inviteeId = await signUp(email, code);
      expect(await referralOf(inviteeId)).toMatchObject({ status: 'cancelled', reason: 'self_referral' });
      expect(await service.rows('select from referral_outbox where account_id = $1', [inviteeId])).toEqual([]);
    },
  );

  it('ignores email tags at other providers, too, but not dots', async () => {
    const ownCode = await codeOf(await newUser('grace.h+x@example.org'));
    expect(await referralOf(await signUp('grace.h+y@example.org', ownCode))).toMatchObject({ status: 'cancelled' });
    expect(await referralOf(await signUp('graceh@example.org', ownCode))).toMatchObject({ status: 'pending' });
  });

  it('records no referral to a suspended account', async () => {
    await service.rows('update account set suspended_at = now() where id = $1', [referrerId]);
    try {
      expect(await referralOf(await signUp('late@example.com', code))).toBeUndefined();
    } finally {
      await service.rows('update account set suspended_at = null where id = $1', [referrerId]);
    }
  });

  it('gives the same response for a known and an unknown email, and never shows the code', async () => {
    const known = await post('ada@example.com', code);
    const unknown = await post('brand-new@example.com', code);
    expect([known.status, unknown.status]).toEqual([200, 200]);
    expect(shape(known.body)).toEqual(shape(unknown.body));
    expect(JSON.stringify([known.body, unknown.body])).not.toContain(code);
    expect(JSON.stringify([known.body, unknown.body])).not.toContain('referralCode');
  });

  it('creates the user and the referral together, or neither', async () => {
    await service.rows(`
      alter table referral_outbox add constraint broken check (kind <> 'joined') not valid`);
    try {
      expect((await post('half@example.com', code)).status).toBeGreaterThanOrEqual(400);
      expect(await service.rows(`select from auth."user" where email = 'half@example.com'`)).toEqual([]);
    } finally {
      await service.rows('alter table referral_outbox drop constraint broken');
    }
    expect(await referralOf(await signUp('half@example.com', code))).toMatchObject({ status: 'pending' });
  });
});

/** Each visitor has their own address, since sign-ups are limited per address. */
function post(email: string, referralCode: unknown) {
  visitors += 1;
  return service
    .browser({ 'x-forwarded-for': `198.51.100.${visitors}` })
    .post('/sign-up/email', { name: 'Ada', email, password: PASSWORD, referralCode });
}

async function signUp(email: string, referralCode: unknown): Promise<string> {
  const reply = await post(email, referralCode);
  expect(reply).toMatchObject({ status: 200 });
  const [user] = await service.rows<{ id: string }>('select id from auth."user" where email = $1', [
    email.toLowerCase(),
  ]);
  return user!.id;
}

function newUser(email: string): Promise<string> {
  return service.identity.createUser({ email, password: PASSWORD, name: 'Ada', emailVerified: true });
}

async function codeOf(accountId: string): Promise<string> {
  const [row] = await service.rows<{ code: string }>('select code from referral_code where account_id = $1', [
    accountId,
  ]);
  return row!.code;
}

async function referralOf(accountId: string): Promise<object | undefined> {
  const [row] = await service.rows(
    'select referrer_id, code, status, reason, masked_email from referral where account_id = $1',
    [accountId],
  );
  return row;
}

function shape(body: Record<string, unknown>): unknown {
  return { keys: Object.keys(body), user: Object.keys(body['user'] as object) };
}
