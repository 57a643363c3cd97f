import { type Database, execute } from '../../db/sql.js';
import type { IdentityEvents } from '../../ports/identity.js';
import { revokeAllTokens } from './accessTokens/accessToken.sql.js';
import { queueNotices } from './notices/queueNotice.js';

/** What an account does when its user signs in or resets the password. */
export function identityEvents(db: Database): IdentityEvents {
  return {
    resetPassword: (reset) =>
      db.transaction(async ({ sql }) => {
        const user = await reset(sql);
        if (user) await execute(sql, revokeAllTokens, { accountId: user.id });
        return user;
      }),
    newSignIn: async ({ userId, sessionId, device, network }) => {
      const data = { at: new Date().toISOString(), device, network };
      await queueNotices(db.sql, [{ accountId: userId, key: `session:${sessionId}`, kind: 'session.new', data }]);
    },
  };
}
