import { afterEach, beforeEach, expect, it } from 'vitest';

import { IdentityService } from '../../support/identity/service.js';

const EMAIL = 'ada@example.com';
let service: IdentityService;

beforeEach(async () => {
  service = await IdentityService.start();
});
afterEach(() => service.stop());

const userRow = () => service.rows(`select name, image, "referralCode", email, "emailVerified" from auth."user"`);

it('a user changes their name, and nothing else with it', async () => {
  const browser = await service.signedIn(EMAIL);
  const [before] = await userRow();
  const changed = await browser.post('/update-user', {
    name: '  Ada Lovelace ',
    image: 'https://evil.example/x.png',
    referralCode: 'ABC',
    emailVerified: false,
    id: '0193a1c2-7d4e-7f60-8a9b-1c2d3e4f5a6b',
  });
  expect(changed.status).toBe(200);
  expect(await userRow()).toEqual([{ ...before, name: 'Ada Lovelace' }]);
  expect((await browser.viewer()).body).toMatchObject({ viewer: { name: 'Ada Lovelace' } });
});

it('a name must be readable, and only a signed-in user changes it', async () => {
  const browser = await service.signedIn(EMAIL);
  const [before] = await userRow();
  for (const name of ['', '   ', 'a\nb', 'x'.repeat(101), 7, null, undefined, { a: 1 }]) {
    expect((await browser.post('/update-user', { name })).status, JSON.stringify(name)).toBe(400);
  }
  expect((await service.browser().post('/update-user', { name: 'Eve' })).status).toBe(401);
  const foreign = await browser.post('/update-user', { name: 'Eve' }, { origin: 'https://evil.example' });
  expect(foreign.status).toBe(403);
  expect(await userRow()).toEqual([before]);
});
