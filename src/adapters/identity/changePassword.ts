import type { BetterAuthPlugin } from 'better-auth';
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { generateRandomString, verifyPassword } from 'better-auth/crypto';
import type pg from 'pg';
import { z } from 'zod';

import { execute, sqlOn } from '../../db/sql.js';
import { hashToken } from './hashedSessions.js';
import { PASSWORD_OF_USER } from './isPassword.js';
import { changePasswordOf } from './links.js';

/** As better-auth's own tokens. */
const TOKEN_LENGTH = 32;

/**
 * Changes the password of a signed-in user who knows it, replaces the session's cookie, and ends all other sessions and all
 * links, in one transaction.
 *
 * It replaces better-auth's endpoint, which compares the old password first and writes the new one later. If its owner
 * resets the password in between, a thief who knew the old one would replace what the owner has just chosen.
 */
export function changePassword({ pool }: { readonly pool: pg.Pool }) {
  return {
    id: 'change-password-at-once',
    endpoints: {
      changePassword: createAuthEndpoint(
        '/change-password',
        {
          method: 'POST',
          body: z.object({ currentPassword: z.string(), newPassword: z.string() }),
          use: [sessionMiddleware],
        },
        async (ctx) => {
          const { user, session } = ctx.context.session;
          const { currentPassword, newPassword } = ctx.body;
          const { minPasswordLength, maxPasswordLength } = ctx.context.password.config;
          if (newPassword.length < minPasswordLength) {
            throw new APIError('BAD_REQUEST', { code: 'PASSWORD_TOO_SHORT', message: 'Password too short' });
          }
          if (Math.max(newPassword.length, currentPassword.length) > maxPasswordLength) {
            throw new APIError('BAD_REQUEST', { code: 'PASSWORD_TOO_LONG', message: 'Password too long' });
          }
          const [account] = await execute(sqlOn(pool), PASSWORD_OF_USER, { userId: user.id });
          const before = account?.password ?? null;
          if (before === null || !(await verifyPassword({ hash: before, password: currentPassword }))) {
            throw new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'Invalid password' });
          }
          const password = await ctx.context.password.hash(newPassword);
          const token = generateRandomString(TOKEN_LENGTH);
          const change = { userId: user.id, sessionId: session.id, tokenHash: hashToken(token), before, password };
          if (!(await changePasswordOf(pool, change))) {
            throw new APIError('UNAUTHORIZED', { code: 'INVALID_PASSWORD', message: 'Invalid password' });
          }
          await setSessionCookie(ctx, { session: { ...session, token }, user });
          return ctx.json({ status: true });
        },
      ),
    },
  } satisfies BetterAuthPlugin;
}
