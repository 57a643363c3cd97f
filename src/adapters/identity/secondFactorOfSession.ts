import type { BetterAuthPlugin } from 'better-auth';
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';

const PASSES = ['/two-factor/verify-totp', '/two-factor/verify-backup-code'];
const BEGINS_ANEW = ['/two-factor/enable', '/two-factor/disable'];

/**
 * Remembers which sessions have passed the second factor. A session may have begun without it: before it was switched
 * on, by a link that confirms an address, or on a trusted device. Such a session passes it by sending a code to the same
 * endpoint. A new TOTP secret requires passing it again.
 */
export function secondFactorOfSession() {
  return {
    id: 'second-factor-of-session',
    schema: {
      session: {
        fields: {
          twoFactorPassed: { type: 'boolean', required: false, defaultValue: false, input: false, returned: false },
        },
      },
    },
    hooks: {
      after: [
        {
          matcher: ({ path }) => PASSES.includes(path ?? '') || BEGINS_ANEW.includes(path ?? ''),
          handler: createAuthMiddleware(async (ctx) => {
            if (ctx.context.returned instanceof APIError) return;
            const { session } = ctx.context.newSession ?? (await getSessionFromCtx(ctx)) ?? {};
            if (!session) return;
            const passed = PASSES.includes(ctx.path);
            const where = passed ? [{ field: 'id', value: session.id }] : [{ field: 'userId', value: session.userId }];
            await ctx.context.adapter.updateMany({ model: 'session', where, update: { twoFactorPassed: passed } });
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin;
}
