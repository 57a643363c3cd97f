import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware } from 'better-auth/api';
import type pg from 'pg';

import type { KnownDevices } from './knownDevice.js';
import type { IdentityLimits } from './limits.js';
import type { Links } from './links.js';
import { CLIENT_ADDRESS_HEADER, deviceCookieName, REQUESTS_PATH } from './names.js';
import { queueNewSignIn } from './newSignIn.js';

export interface AfterSignInOptions {
  readonly pool: pg.Pool;
  readonly publicUrl: string;
  readonly devices: KnownDevices;
  readonly limits: IdentityLimits;
  readonly links: Pick<Links, 'end'>;
  /** The address of a mailbox whose owner followed a link with this request. */
  readonly ownerOf: (request: Request) => string | undefined;
}

/** Not by the link that confirms an address: the user has just created the account. */
const SIGN_INS: ReadonlySet<string> = new Set([
  '/sign-in/email',
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
]);

/**
 * After a sign-in, remembers the browser, emails the user if it was unknown, and forgets earlier attempts. Also remembers the
 * browser of a user who has proved by a link to own the mailbox.
 *
 * A plugin after the others, and not better-auth's own hook, which comes before theirs: there, a right password alone looks
 * like a sign-in, even if the second factor is still to come.
 */
export function afterSignIn({ pool, publicUrl, devices, limits, links, ownerOf }: AfterSignInOptions) {
  return {
    id: 'after-sign-in',
    hooks: {
      after: [
        {
          matcher: () => true,
          handler: createAuthMiddleware(async (ctx) => {
            const { newSession, returned } = ctx.context;
            // The link that confirms an address ends with a redirect, which better-auth throws.
            if (returned instanceof Error && !isRedirect(returned)) return;
            const user = newSession?.user ?? null;
            const isSignIn = user !== null && SIGN_INS.has(ctx.path);
            if (isSignIn) await limits.forgetSignIns(user.email);
            if (user !== null && ctx.path === '/change-password') await links.end(user.id);
            const email = (ctx.request && ownerOf(ctx.request)) ?? user?.email;
            if (email === undefined) return;
            const cookie = ctx.getCookie(deviceCookieName(publicUrl)) ?? undefined;
            if (newSession && isSignIn && devices.idOf(cookie, email) === null) {
              await queueNewSignIn(pool, {
                id: newSession.session.id,
                userId: newSession.user.id,
                network: ctx.request?.headers.get(CLIENT_ADDRESS_HEADER) || null,
                userAgent: ctx.request?.headers.get('user-agent') ?? '',
              });
            }
            const { value, maxAgeSeconds: maxAge } = devices.issue(email);
            ctx.setCookie(deviceCookieName(publicUrl), value, { ...deviceCookie(publicUrl), maxAge });
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin;
}

function isRedirect(thrown: Error): boolean {
  return 'status' in thrown && thrown.status === 'FOUND';
}

/** Only for identity's paths, and not readable by scripts. */
function deviceCookie(publicUrl: string) {
  return { httpOnly: true, sameSite: 'lax', path: REQUESTS_PATH, secure: publicUrl.startsWith('https:') } as const;
}
