import type { BetterAuthPlugin } from 'better-auth';
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import { z } from 'zod';

import type { Links } from './links.js';

export interface ChangeAddressOptions {
  readonly links: Pick<Links, 'keepAddressChange' | 'changeAddress'>;
  readonly isPassword: (userId: string, password: string) => Promise<boolean>;
  /** The address of a user who cannot change it. */
  readonly fixedAddress: string | undefined;
  /** Sends the link to the new address. */
  readonly send: (to: { readonly name: string; readonly email: string }, token: string) => void;
  /** A request that has changed its user's address to this one. */
  readonly onChanged: (request: Request, email: string) => void;
}

/**
 * A user moves to another email address: they ask for it with their password, and use the link that the new address gets
 * while they are signed in. So neither a forgotten session nor a foreign mailbox is enough. Both endpoints also need the
 * second factor, as `src/api/identity/router.ts` says.
 *
 * better-auth's own change of address asks for no second factor, changes the address for whoever opens the link, and cannot
 * end the link; see [the decision](../../../docs/decisions/0032-emails.md).
 */
export function changeAddress({ links, isPassword, fixedAddress, send, onChanged }: ChangeAddressOptions) {
  return {
    id: 'change-address',
    endpoints: {
      requestAddress: createAuthEndpoint(
        '/change-address',
        {
          method: 'POST',
          body: z.object({ email: z.email(), password: z.string() }),
          use: [sessionMiddleware],
        },
        async (ctx) => {
          const { user } = ctx.context.session;
          const email = ctx.body.email.toLowerCase();
          if (!(await isPassword(user.id, ctx.body.password))) {
            throw new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'Invalid password' });
          }
          if (user.email === fixedAddress) {
            throw new APIError('FORBIDDEN', { code: 'FIXED_ADDRESS', message: 'This account keeps its address.' });
          }
          if (email === user.email) {
            throw new APIError('BAD_REQUEST', { code: 'SAME_ADDRESS', message: 'This is your address already.' });
          }
          // Also to an address that has an account: only its owner may learn that, by using the link.
          send({ name: user.name, email }, await links.keepAddressChange(user.id, email));
          return ctx.json({ status: true });
        },
      ),
      useAddress: createAuthEndpoint(
        '/confirm-address',
        { method: 'POST', body: z.object({ token: z.string() }), use: [sessionMiddleware] },
        async (ctx) => {
          const { user } = ctx.context.session;
          const changed = await links.changeAddress(user.id, ctx.body.token);
          if (changed === 'taken') {
            throw new APIError('CONFLICT', { code: 'ADDRESS_TAKEN', message: 'This address has an account.' });
          }
          if (changed === 'invalid') {
            throw new APIError('BAD_REQUEST', { code: 'INVALID_TOKEN', message: 'Invalid token' });
          }
          if (ctx.request) onChanged(ctx.request, changed.email);
          return ctx.json({ status: true });
        },
      ),
    },
  } satisfies BetterAuthPlugin;
}
