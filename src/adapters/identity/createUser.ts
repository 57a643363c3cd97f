import { hashPassword } from 'better-auth/crypto';
import type pg from 'pg';

import type { NewUser } from '../../ports/identity.js';

const INSERT_USER = `
  with made as (
    insert into auth."user" (email, name, "emailVerified") values ($1, $2, $3)
    on conflict (email) do nothing returning id
  )
  insert into auth.account ("userId", "accountId", "providerId", password, "updatedAt")
    select id, id::text, 'credential', $4, now() from made`;
const USER_BY_EMAIL = 'select id from auth."user" where email = $1';

/**
 * Creates user, password and account in one statement; an address that already has a user stays unchanged. Returns the
 * id.
 */
export async function createUser(pool: pg.Pool, user: NewUser): Promise<string> {
  const email = user.email.trim().toLowerCase();
  const existing = await idOf(pool, email);
  if (existing) return existing;
  await pool.query(INSERT_USER, [email, user.name, user.emailVerified, await hashPassword(user.password)]);
  const id = await idOf(pool, email);
  if (!id) throw new Error('A user vanished while it was made.');
  return id;
}

async function idOf(pool: pg.Pool, email: string): Promise<string | undefined> {
  return (await pool.query<{ id: string }>(USER_BY_EMAIL, [email])).rows[0]?.id;
}
