import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware } from 'better-auth/api';

import { IDENTITY_PATH, type IdentityEvents } from '../../ports/identity.js';
import { isRedirect } from './isRedirect.js';
import type { KnownDevices } from './knownDevice.js';
import type { IdentityLimits } from './limits.js';
import { CLIENT_ADDRESS_HEADER, deviceCookieName } from './names.js';

export interface AfterSignInOptions {
  readonly publicUrl: string;
  readonly devices: KnownDevices;
  readonly limits: IdentityLimits;
  readonly events: Pick<IdentityEvents, 'newSignIn'>;
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
export function afterSignIn({ publicUrl, devices, limits, events, ownerOf }: AfterSignInOptions) {
  return {
    id: 'after-sign-in',
    hooks: {
      after: [
        {
          matcher: () => true,
          handler: createAuthMiddleware(async (ctx) => {
            const { newSession, returned } = ctx.context;
            // As with the link that confirms an address.
            if (returned instanceof Error && !isRedirect(returned)) return;
            const user = newSession?.user ?? null;
            const isSignIn = user !== null && SIGN_INS.has(ctx.path);
            if (isSignIn) await limits.forgetSignIns(user.email);
            const email = (ctx.request && ownerOf(ctx.request)) ?? user?.email;
            if (email === undefined) return;
            const cookie = ctx.getCookie(deviceCookieName(publicUrl)) ?? undefined;
            if (newSession && isSignIn && devices.idOf(cookie, email) === null) {
              await events.newSignIn({
                userId: newSession.user.id,
                sessionId: newSession.session.id,
                device: deviceOf(ctx.request?.headers.get('user-agent') ?? ''),
                network: ctx.request?.headers.get(CLIENT_ADDRESS_HEADER) || null,
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

/** Only for identity's paths, and not readable by scripts. */
function deviceCookie(publicUrl: string) {
  return { httpOnly: true, sameSite: 'lax', path: IDENTITY_PATH, secure: publicUrl.startsWith('https:') } as const;
}

const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  // Each of these also says "Chrome" or "Safari", so they are checked first.
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
];

/** "Firefox on Windows": what the program says about itself. Anything else is not repeated in an email. */
function deviceOf(userAgent: string): string {
  const find = (list: typeof BROWSERS): string | undefined => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Another program';
}
