import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { AccountService } from '../../../src/domain/accounts/account.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { IdentityService } from '../../support/identity/service.js';

let service: IdentityService;
let db: PostgresDatabase;
let accounts: AccountService;

beforeAll(async () => {
  service = await IdentityService.start();
  db = await PostgresDatabase.connect({ url: service.database.runtimeUrl, maxConnections: 4 });
  accounts = new AccountService({ db });
});
afterAll(async () => {
  await db.close();
  await service.stop();
});

const user = (email: string) =>
  service.identity.createUser({ email, password: 'correct horse battery', name: 'Ada', emailVerified: true });
const audit = (accountId: string) =>
  service.rows('select actor_id, action, subject, reason, details from audit_entry where account_id = $1 order by id', [
    accountId,
  ]);

describe('promoting a user', () => {
  it('changes the role at once, and is recorded once', async () => {
    const browser = await service.signedIn('staff@example.com');
    const id = await accounts.promote(' Staff@Example.com', 'support');
    await accounts.promote('staff@example.com', 'support');

    expect((await browser.viewer()).body['viewer']).toMatchObject({ accountId: id, role: 'support' });
    expect(await audit(id)).toEqual([
      {
        actor_id: null,
        action: 'user.promote',
        subject: 'staff@example.com',
        reason: 'command line',
        details: { from: 'owner', to: 'support' },
      },
    ]);
  });

  it('is refused for an unknown email', async () => {
    await expect(accounts.promote('nobody@example.com', 'support')).rejects.toMatchObject({
      code: 'ACCOUNT_NOT_FOUND',
    });
  });
});

describe('suspending an account', () => {
  it('stops account and keys, is visible to its user, and can be undone', async () => {
    const browser = await service.signedIn('bad@example.com');
    const id = await user('bad@example.com');
    const other = await user('good@example.com');
    const staff = newId();
    for (const owner of [id, id, other]) await addKey(owner);

    await accounts.suspend(id, staff, ' spam ');
    expect((await browser.viewer()).body['viewer']).toMatchObject({ suspended: true });
    expect(await keys(id)).toEqual([true, true]);
    expect(await keys(other)).toEqual([false]);
    expect(await accounts.get(id)).toMatchObject({ suspendedReason: 'spam', suspendedAt: expect.any(Date) });

    await accounts.suspend(id, staff, 'again');
    await accounts.resume(id, staff, 'explained');
    expect((await browser.viewer()).body['viewer']).toMatchObject({ suspended: false });
    expect(await keys(id)).toEqual([false, false]);
    expect(await accounts.get(id)).toMatchObject({ suspendedReason: null, suspendedAt: null });
    expect(await audit(id)).toMatchObject([
      { action: 'account.suspend', actor_id: staff, reason: 'spam' },
      { action: 'account.resume', actor_id: staff, reason: 'explained' },
    ]);
  });

  it('is rolled back if its audit entry cannot be written', async () => {
    const id = await user('atomic@example.com');
    await addKey(id);
    await expect(accounts.suspend(id, 'no uuid', 'spam')).rejects.toThrow();
    expect(await keys(id)).toEqual([false]);
    expect(await accounts.get(id)).toMatchObject({ suspendedAt: null });
  });

  it('is recorded once when many do it at the same time', async () => {
    const id = await user('race@example.com');
    await Promise.all(Array.from({ length: 8 }, () => accounts.suspend(id, newId(), 'spam')));
    expect(await audit(id)).toHaveLength(1);
  });

  it('requires an account and a reason', async () => {
    const id = await user('reason@example.com');
    await expect(accounts.suspend(id, newId(), '  ')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(accounts.suspend(newId(), newId(), 'spam')).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' });
    await expect(accounts.resume('no uuid', newId(), 'spam')).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' });
  });
});

describe('finding an account', () => {
  it('works by id and by part of an email, with an exact match first', async () => {
    const id = await user('zoe@find.example');
    await user('a.zoe@find.example');
    const emails = async (search: string) => (await accounts.find(search)).map((account) => account.email);

    expect(await emails(id.toUpperCase())).toEqual(['zoe@find.example']);
    expect(await emails(' ZOE@find.example ')).toEqual(['zoe@find.example', 'a.zoe@find.example']);
    expect(await emails('@find')).toEqual(['a.zoe@find.example', 'zoe@find.example']);
    expect(await emails('%')).toEqual([]);
    expect(await emails(' ')).toEqual([]);
    expect(await emails(newId())).toEqual([]);
  });
});

it('ensureAccount restores a missing account and its wallet', async () => {
  const id = await user('heal@example.com');
  await service.rows('delete from account where id = $1', [id]);
  await service.rows('delete from ledger_account where owner_id = $1', [id]);
  await accounts.ensureAccount(id);
  await accounts.ensureAccount(id);
  expect(await accounts.get(id)).toMatchObject({ id, role: 'owner' });
  expect(await service.rows('select 1 from ledger_account where owner_id = $1', [id])).toHaveLength(14);
});

async function addKey(accountId: string): Promise<void> {
  await service.rows(
    `insert into api_key (account_id, id, name, hash, prefix, last4) values ($1, $2::uuid, 'key', decode(md5($2::text), 'hex'), 'p', 'last')`,
    [accountId, newId()],
  );
}

async function keys(accountId: string): Promise<boolean[]> {
  const rows = await service.rows<{ suspended: boolean }>('select suspended from api_key where account_id = $1', [
    accountId,
  ]);
  return rows.map((row) => row.suspended);
}
