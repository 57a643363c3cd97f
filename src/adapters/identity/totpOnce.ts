import { createHmac, timingSafeEqual } from 'node:crypto';

import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { symmetricDecrypt } from 'better-auth/crypto';

const STEP_MS = 30_000;
const TWO_FACTOR_COOKIE = 'two_factor';

/** Of a request before it is handled. */
export type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];
interface TwoFactorRow {
  secret: string;
}

/**
 * Makes a TOTP code work once. better-auth accepts a code as long as its time step is near, so a code that somebody
 * else has seen would open a second session. Before it checks, the code's step is claimed in one guarded update. A code
 * of a claimed or older step is blanked, and then fails and counts like any wrong one.
 */
export function totpOnce() {
  return {
    id: 'totp-once',
    schema: {
      twoFactor: {
        fields: {
          lastUsedStep: { type: 'number', required: false, defaultValue: 0, input: false, returned: false },
        },
      },
    },
    hooks: {
      before: [
        {
          matcher: (context) => context.path === '/two-factor/verify-totp',
          handler: createAuthMiddleware(async (ctx) => {
            if (await claimCode(ctx)) return undefined;
            return { context: { body: { ...(ctx.body as object), code: '' } } };
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin;
}

/** False if the code is correct but already used. A wrong code is left to better-auth, which counts it. */
async function claimCode(ctx: Context): Promise<boolean> {
  const code = (ctx.body as { code?: unknown } | undefined)?.code;
  const userId = (await attemptOf(ctx))?.userId;
  if (typeof code !== 'string' || userId === undefined) return true;
  const where = [{ field: 'userId', value: userId }];
  const row = await ctx.context.adapter.findOne<TwoFactorRow>({ model: 'twoFactor', where });
  if (!row) return true;

  const secret = await symmetricDecrypt({ key: ctx.context.secretConfig, data: row.secret });
  const current = Math.floor(Date.now() / STEP_MS);
  const step = stepOfCode(secret, code, current);
  if (step === null) return true;

  const claim = (operator: 'lt' | 'gt', value: number) =>
    ctx.context.adapter.incrementOne<TwoFactorRow>({
      model: 'twoFactor',
      where: [...where, { field: 'lastUsedStep', operator, value }],
      increment: {},
      set: { lastUsedStep: step },
    });
  // A step in the future was used while the clock was ahead. It must not lock its user out until then.
  return ((await claim('lt', step)) ?? (await claim('gt', current + 1))) !== null;
}

/** The signed-in user who switches TOTP on or off, or the one who has just entered the correct password. */
export async function attemptOf(ctx: Context): Promise<{ userId: string; sessionId: string | null } | null> {
  const signedIn = await getSessionFromCtx(ctx);
  if (signedIn) return { userId: signedIn.user.id, sessionId: signedIn.session.id };
  const cookie = ctx.context.createAuthCookie(TWO_FACTOR_COOKIE);
  const challenge = await ctx.getSignedCookie(cookie.name, ctx.context.secret);
  if (!challenge) return null;
  const pending = await ctx.context.internalAdapter.findVerificationValue(challenge);
  return pending ? { userId: pending.value, sessionId: null } : null;
}

/** The newest time step near `current` that has this code (RFC 6238, SHA-1, 6 digits); `null` if there is none. */
function stepOfCode(secret: string, code: string, current: number): number | null {
  return [current + 1, current, current - 1].find((step) => sameCode(codeOfStep(secret, step), code)) ?? null;
}

function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest[digest.length - 1]! & 0x0f;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

function sameCode(expected: string, given: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}
