import { hashPassword, verifyPassword } from 'better-auth/crypto';
import type pg from 'pg';

const PASSWORD_OF_USER = {
  name: 'identity_password_of_user',
  text: `select password from auth.account where "userId" = $1 and "providerId" = 'credential'`,
};

/** No password is longer, and hashing a longer one would only cost time. */
const MAX_LENGTH = 128;

/** Whether this is the password of a signed-in user. Takes as long for a user who has none. */
export async function isPassword(pool: pg.Pool, userId: string, password: string): Promise<boolean> {
  if (password.length > MAX_LENGTH) return false;
  const { rows } = await pool.query<{ password: string | null }>({ ...PASSWORD_OF_USER, values: [userId] });
  const hash = rows[0]?.password;
  if (hash) return verifyPassword({ hash, password });
  await hashPassword(password);
  return false;
}
