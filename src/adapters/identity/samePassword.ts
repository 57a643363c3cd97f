import type { BetterAuthPlugin } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import { deleteSessionCookie } from 'better-auth/cookies';
import type pg from 'pg';

import { execute, sqlOn, statement } from '../../db/sql.js';
import type { Links } from './links.js';
import { isRedirect } from './isRedirect.js';
import { attemptOf, type Context } from './totpOnce.js';

interface Credential {
  readonly id: string;
  /** The hash; `null` for a user without a password. */
  readonly password: string | null;
}

interface CredentialRow extends Credential {
  /** Whether the session of the request still exists; `null` for a request without one. */
  readonly has_session: boolean | null;
}

/** In one snapshot: a reset ends the sessions in the transaction that sets the password. */
const CREDENTIAL = statement<{ userId: string | null; email: string | null; sessionId: string | null }, CredentialRow>(
  'identity_credential',
  `
    select u.id, a.password, case when :sessionId::uuid is not null then exists (
      select from auth.session s where s.id = :sessionId::uuid) end as has_session
    from auth."user" u left join auth.account a on a."userId" = u.id and a."providerId" = 'credential'
    where u.id = :userId::uuid or u.email = :email`,
);

/** Waits for a reset that is under way. */
const AWAIT_RESET = statement<{ userId: string }>(
  'identity_await_reset',
  'select from auth."user" where id = :userId for share',
);

const VERIFY_EMAIL = '/verify-email';
/**
 * What opens a session: with a password, with a second factor after it, in the place of the request's own session, and
 * with the link that confirms an address.
 */
const OPENS: ReadonlySet<string> = new Set([
  '/sign-in/email',
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
  '/two-factor/disable',
  VERIFY_EMAIL,
]);

/**
 * Ends a session that was opened while its user's password changed. better-auth reads the password, the challenge of the
 * second step, the request's own session or the link first, and opens the session later: a tenth of a second later, if
 * it compares a password. A session that opens after a new password has ended all others would outlive that change.
 *
 * The password is read before all that, and once more at the end. If it has changed, the session or the pending second
 * step ends. A later change finds them and ends them itself.
 *
 * A link that confirms an address is used up here, so that it works once: better-auth compares only its signature.
 */
export function samePassword({
  pool,
  links,
}: {
  readonly pool: pg.Pool;
  readonly links: Pick<Links, 'end' | 'takeConfirmation'>;
}) {
  const sql = sqlOn(pool);
  const begun = new WeakMap<Request, Credential>();
  const matcher = ({ path }: { path?: string }): boolean => OPENS.has(path ?? '');

  return {
    id: 'same-password',
    hooks: {
      before: [
        {
          matcher,
          handler: createAuthMiddleware(async (ctx) => {
            if (!ctx.request) return undefined;
            if (ctx.path === VERIFY_EMAIL) {
              const taken = await links.takeConfirmation(new URL(ctx.request.url).searchParams);
              // The signature alone confirms nothing: the link was used, or is for an earlier address.
              if (taken === null) return { context: { query: { ...ctx.query, token: '' } } };
              begun.set(ctx.request, taken);
              return undefined;
            }
            const who = await whoIn(ctx);
            if (who === null) return undefined;
            const [credential] = await execute(sql, CREDENTIAL, who);
            if (credential?.has_session === false) throw unauthorized();
            if (credential) begun.set(ctx.request, credential);
            return undefined;
          }),
        },
      ],
      after: [
        {
          matcher,
          handler: createAuthMiddleware(async (ctx) => {
            const before = ctx.request && begun.get(ctx.request);
            const { newSession, returned } = ctx.context;
            if (!before || (returned instanceof Error && !isRedirect(returned))) return;
            const userId = before.id;
            await execute(sql, AWAIT_RESET, { userId });
            const [after] = await execute(sql, CREDENTIAL, { userId, email: null, sessionId: null });
            if (after?.password === before.password) return;
            if (newSession) await ctx.context.internalAdapter.deleteSession(newSession.session.token);
            ctx.context.setNewSession(null);
            deleteSessionCookie(ctx, true);
            await links.end(userId);
            // Whoever follows a link is sent on, signed out.
            if (!(returned instanceof Error)) throw unauthorized();
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin;
}

async function whoIn(
  ctx: Context,
): Promise<{ userId: string | null; email: string | null; sessionId: string | null } | null> {
  if (ctx.path === '/sign-in/email') {
    const { email } = (ctx.body ?? {}) as { email?: unknown };
    return typeof email === 'string' ? { userId: null, email: email.toLowerCase(), sessionId: null } : null;
  }
  const attempt = await attemptOf(ctx);
  return attempt && { ...attempt, email: null };
}

function unauthorized(): APIError {
  return new APIError('UNAUTHORIZED', { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' });
}
