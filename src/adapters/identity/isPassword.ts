import { hashPassword, verifyPassword } from 'better-auth/crypto';
import type pg from 'pg';

import { execute, sqlOn, statement } from '../../db/sql.js';

export const PASSWORD_OF_USER = statement<{ userId: string }, { password: string | null }>(
  'identity_password_of_user',
  `select password from auth.account where "userId" = :userId and "providerId" = 'credential'`,
);

/** No password is longer, and hashing a longer one would only cost time. */
const MAX_LENGTH = 128;

/** Whether this is the password of a signed-in user. Takes as long for a user who has none. */
export async function isPassword(pool: pg.Pool, userId: string, password: string): Promise<boolean> {
  if (password.length > MAX_LENGTH) return false;
  const [account] = await execute(sqlOn(pool), PASSWORD_OF_USER, { userId });
  const hash = account?.password;
  if (hash) return verifyPassword({ hash, password });
  await hashPassword(password);
  return false;
}
