import { hashPassword } from 'better-auth/crypto';
import type pg from 'pg';

import { execute, sqlOn, statement } from '../../db/sql.js';
import type { NewUser } from '../../ports/identity.js';

const INSERT_USER = statement<{ email: string; name: string; emailVerified: boolean; password: string }>(
  'identity_insert_user',
  `
    with made as (
      insert into auth."user" (email, name, "emailVerified") values (:email, :name, :emailVerified)
      on conflict (email) do nothing returning id
    )
    insert into auth.account ("userId", "accountId", "providerId", password, "updatedAt")
      select id, id::text, 'credential', :password, now() from made`,
);
const USER_BY_EMAIL = statement<{ email: string }, { id: string }>(
  'identity_user_by_email',
  'select id from auth."user" where email = :email',
);

/**
 * Creates user, password and account in one statement; an address that already has a user stays unchanged. Returns the
 * id.
 */
export async function createUser(pool: pg.Pool, user: NewUser): Promise<string> {
  const email = user.email.trim().toLowerCase();
  const existing = await idOf(pool, email);
  if (existing) return existing;
  const { name, emailVerified } = user;
  const password = await hashPassword(user.password);
  await execute(sqlOn(pool), INSERT_USER, { email, name, emailVerified, password });
  const id = await idOf(pool, email);
  if (!id) throw new Error('A user vanished while it was made.');
  return id;
}

async function idOf(pool: pg.Pool, email: string): Promise<string | undefined> {
  return (await execute(sqlOn(pool), USER_BY_EMAIL, { email }))[0]?.id;
}
