import { createHmac, timingSafeEqual } from 'node:crypto';

import type pg from 'pg';

import { execute, sqlOn, statement } from '../../db/sql.js';
import { toAppError } from '../../errors.js';
import type { Viewer, WithCookies } from '../../ports/identity.js';
import { hashToken } from './hashedSessions.js';
import { sessionCookieName } from './names.js';

interface ViewerRow {
  id: string;
  sessionId: string | null;
  email: string;
  name: string;
  emailVerified: boolean;
  twoFactorEnabled: boolean;
  twoFactorPassed: boolean;
  opened: boolean;
  role: Viewer['role'] | null;
  suspended: boolean;
}

const VIEWER_OF_SESSION = statement<{ tokenHash: string }, ViewerRow>(
  'identity_viewer',
  `
    select u.id, s.id as "sessionId", u.email, u.name, u."emailVerified", coalesce(u."twoFactorEnabled", false) as "twoFactorEnabled",
           coalesce(u."twoFactorEnabled" and s."twoFactorPassed", false) as "twoFactorPassed",
           a.id is not null as opened, a.role, a.suspended_at is not null as suspended
    from auth.session s
    join auth."user" u on u.id = s."userId"
    left join public.account a on a.id = u.id
    where s.token = :tokenHash and s."expiresAt" > now()`,
);
const VIEWER_OF_USER = statement<{ userId: string }, ViewerRow & { role: Viewer['role'] }>(
  'identity_viewer_of_user',
  `
    select u.id, null as "sessionId", u.email, u.name, u."emailVerified",
           coalesce(u."twoFactorEnabled", false) as "twoFactorEnabled", false as "twoFactorPassed",
           true as opened, a.role, a.suspended_at is not null as suspended
    from auth."user" u join public.account a on a.id = u.id
    where u.id = :userId`,
);
const OPEN_ACCOUNT = statement<{ accountId: string }>(
  'identity_open_account',
  'select public.open_account(:accountId::uuid)',
);

export interface ViewerLookupOptions {
  readonly pool: pg.Pool;
  readonly secret: string;
  readonly publicUrl: string;
}

/**
 * Finds the user of a request's session cookie, in one round trip of one prepared statement.
 *
 * better-auth's own session lookup takes several and knows nothing of accounts. The cookie has better-auth's format: a
 * token and its HMAC-SHA-256 under the secret. The HMAC is checked first, so that forged cookies never reach the
 * database.
 */
export function createViewerLookup(options: ViewerLookupOptions): (req: WithCookies) => Promise<Viewer | null> {
  const { pool, secret, publicUrl } = options;
  const sql = sqlOn(pool);
  const cookieName = sessionCookieName(publicUrl);

  const find = async (tokenHash: string): Promise<ViewerRow | undefined> =>
    (await execute(sql, VIEWER_OF_SESSION, { tokenHash }))[0];

  return async (req) => {
    const token = signedToken(cookieOf(req.headers.cookie, cookieName), secret);
    if (token === null) return null;
    try {
      const tokenHash = hashToken(token);
      let row = await find(tokenHash);
      if (row && !row.opened) {
        // The sign-up did not finish, or came from an older version: complete it and read again.
        await execute(sql, OPEN_ACCOUNT, { accountId: row.id });
        row = await find(tokenHash);
      }
      return row ? viewer(row) : null;
    } catch (error) {
      throw toAppError(error);
    }
  };
}

/** Finds a user whose request was authenticated without a session. */
export function createUserLookup(pool: pg.Pool): (userId: string) => Promise<Viewer | null> {
  const sql = sqlOn(pool);
  return async (userId) => {
    try {
      const [row] = await execute(sql, VIEWER_OF_USER, { userId });
      return row ? viewer(row) : null;
    } catch (error) {
      throw toAppError(error);
    }
  };
}

function viewer(row: ViewerRow): Viewer {
  return {
    userId: row.id,
    sessionId: row.sessionId,
    accessToken: null,
    accountId: row.id,
    mode: 'live',
    email: row.email,
    emailVerified: row.emailVerified,
    name: row.name,
    twoFactorEnabled: row.twoFactorEnabled,
    twoFactorPassed: row.twoFactorPassed,
    role: row.role ?? 'owner',
    suspended: row.suspended,
    view: null,
  };
}

export function cookieOf(header: string | undefined, name: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** The token of `<token>.<base64 HMAC>`, percent-encoded; `null` if its signature is not ours. */
function signedToken(cookie: string | null, secret: string): string | null {
  const value = decoded(cookie);
  const dot = value.lastIndexOf('.');
  if (dot < 1) return null;
  const token = value.slice(0, dot);
  const given = Buffer.from(value.slice(dot + 1), 'base64');
  const expected = createHmac('sha256', secret).update(token).digest();
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null;
}

function decoded(text: string | null): string {
  try {
    return decodeURIComponent(text ?? '');
  } catch {
    return '';
  }
}
