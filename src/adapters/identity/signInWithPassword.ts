import type { BetterAuthPlugin } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import { deleteSessionCookie } from 'better-auth/cookies';
import type pg from 'pg';

import { execute, sqlOn, statement } from '../../db/sql.js';
import type { Links } from './links.js';

interface Credential {
  readonly id: string;
  readonly password: string | null;
}

const FIND_CREDENTIAL = `
  select u.id, a.password from auth."user" u
  join auth.account a on a."userId" = u.id and a."providerId" = 'credential' where u.email = :email`;

const CREDENTIAL = statement<{ email: string }, Credential>('identity_credential', FIND_CREDENTIAL);

/** Waits for a change that is under way. */
const LATEST_CREDENTIAL = statement<{ email: string }, Credential>(
  'identity_latest_credential',
  `${FIND_CREDENTIAL} for share of a`,
);

/**
 * Ends a sign-in whose password changed meanwhile. better-auth reads the password, takes a tenth of a second to compare
 * it, and then opens the session. A session that opens after a new password has ended all others would outlive that
 * change.
 *
 * The password is read before all that, and once more at the end. If it has changed, the session or the pending second
 * step ends. A later change finds them and ends them itself.
 */
export function signInWithPassword({ pool, links }: { readonly pool: pg.Pool; readonly links: Links }) {
  const begun = new WeakMap<Request, Credential>();
  const matcher = ({ path }: { path?: string }): boolean => path === '/sign-in/email';

  async function credentialOf(body: unknown, find = CREDENTIAL): Promise<Credential | undefined> {
    const { email } = (body ?? {}) as { email?: unknown };
    if (typeof email !== 'string') return undefined;
    return (await execute(sqlOn(pool), find, { email: email.toLowerCase() }))[0];
  }

  return {
    id: 'sign-in-with-password',
    hooks: {
      before: [
        {
          matcher,
          handler: createAuthMiddleware(async (ctx) => {
            const credential = await credentialOf(ctx.body);
            if (ctx.request && credential) begun.set(ctx.request, credential);
          }),
        },
      ],
      after: [
        {
          matcher,
          handler: createAuthMiddleware(async (ctx) => {
            const before = ctx.request && begun.get(ctx.request);
            if (!before || ctx.context.returned instanceof Error) return;
            const after = await credentialOf(ctx.body, LATEST_CREDENTIAL);
            if (after?.password === before.password) return;
            const { newSession } = ctx.context;
            if (newSession) await ctx.context.internalAdapter.deleteSession(newSession.session.token);
            ctx.context.setNewSession(null);
            deleteSessionCookie(ctx, true);
            await links.end(before.id);
            throw new APIError('UNAUTHORIZED', {
              code: 'INVALID_EMAIL_OR_PASSWORD',
              message: 'Invalid email or password',
            });
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin;
}
