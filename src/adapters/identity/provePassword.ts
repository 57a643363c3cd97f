import { verifyPassword } from 'better-auth/crypto';
import type pg from 'pg';

import { AppError } from '../../errors.js';

const PASSWORD_OF_USER = {
  name: 'identity_password_of_user',
  text: `select password from auth.account where "userId" = $1 and "providerId" = 'credential'`,
};

/** No password is longer, and hashing a longer one would only cost time. */
const MAX_LENGTH = 128;

/** @throws INVALID_INPUT for a wrong password */
export async function provePassword(pool: pg.Pool, userId: string, password: string): Promise<void> {
  const { rows } = await pool.query<{ password: string | null }>({ ...PASSWORD_OF_USER, values: [userId] });
  const hash = rows[0]?.password;
  if (hash && password.length <= MAX_LENGTH && (await verifyPassword({ hash, password }))) return;
  throw new AppError('INVALID_INPUT', 'This password is wrong.');
}
