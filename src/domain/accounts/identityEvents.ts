import { execute, type Sql } from '../../db/sql.js';
import type { IdentityEvents } from '../../ports/identity.js';
import { revokeAllTokens } from './accessTokens/accessToken.sql.js';
import { queueNotices } from './notices/queueNotice.js';

/** What an account does when its user signs in or resets the password. */
export function identityEvents(sql: Sql): IdentityEvents {
  return {
    passwordReset: async (userId) => {
      await execute(sql, revokeAllTokens, { accountId: userId });
    },
    newSignIn: async ({ userId, sessionId, device, network }) => {
      const data = { at: new Date().toISOString(), device, network };
      await queueNotices(sql, [{ accountId: userId, key: `session:${sessionId}`, kind: 'session.new', data }]);
    },
  };
}
