import type { BetterAuthPlugin } from 'better-auth';
import { APIError, createAuthEndpoint } from 'better-auth/api';
import { z } from 'zod';

import type { IdentityEvents } from '../../ports/identity.js';
import { resetPasswordOf, type Links } from './links.js';

interface ResetPasswordOptions {
  readonly links: Pick<Links, 'isReset'>;
  readonly events: Pick<IdentityEvents, 'resetPassword'>;
  /** A request that has set the password of the user with this address. */
  readonly onReset: (request: Request | undefined, email: string) => Promise<void>;
}

/**
 * Sets the password by a link from an email, and ends every session, link and access token, all in one transaction.
 *
 * It replaces better-auth's endpoint, which changes the password first and ends the sessions later, or never if the
 * database fails in between: then a thief of the old password would stay signed in.
 */
export function resetPassword({ links, events, onReset }: ResetPasswordOptions) {
  return {
    id: 'reset-password-at-once',
    endpoints: {
      resetPassword: createAuthEndpoint(
        '/reset-password',
        { method: 'POST', body: z.object({ newPassword: z.string(), token: z.string().optional() }) },
        async (ctx) => {
          const { newPassword, token = '' } = ctx.body;
          const { minPasswordLength, maxPasswordLength } = ctx.context.password.config;
          if (newPassword.length < minPasswordLength) {
            throw new APIError('BAD_REQUEST', { code: 'PASSWORD_TOO_SHORT', message: 'Password too short' });
          }
          if (newPassword.length > maxPasswordLength) {
            throw new APIError('BAD_REQUEST', { code: 'PASSWORD_TOO_LONG', message: 'Password too long' });
          }
          // Hashing takes a tenth of a second, so not for made-up links.
          const password = (await links.isReset(token)) ? await ctx.context.password.hash(newPassword) : null;
          const user =
            password === null ? null : await events.resetPassword((sql) => resetPasswordOf(sql, { token, password }));
          if (user === null) throw new APIError('BAD_REQUEST', { code: 'INVALID_TOKEN', message: 'Invalid token' });
          await onReset(ctx.request, user.email);
          return ctx.json({ status: true });
        },
      ),
    },
  } satisfies BetterAuthPlugin;
}
