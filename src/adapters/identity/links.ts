import { createHash, randomBytes, randomUUID } from 'node:crypto';

import { decodeJwt } from 'jose';
import type pg from 'pg';

import { execute, type Sql, sqlOn, statement } from '../../db/sql.js';

const FIND_RESET = statement<{ identifier: string }, { found: number }>(
  'identity_find_reset',
  'select 1 as found from auth.verification where identifier = :identifier and "expiresAt" > now()',
);

/**
 * Uses a link that sets a password. The user's row is locked first, so of several links used at once, one counts. A user who
 * moved here from another service has no password to replace.
 */
const RESET_PASSWORD = statement<{ identifier: string; password: string }, { id: string; email: string }>(
  'identity_reset_password',
  `
    with owner as materialized (
      select id, email from auth."user" where id = (
        select value::uuid from auth.verification where identifier = :identifier and "expiresAt" > now())
      for update
    ), link as (
      delete from auth.verification v using owner
      where v.identifier = :identifier and v.value = owner.id::text and v."expiresAt" > now()
      returning owner.id, owner.email
    ), changed as (
      update auth.account a set password = :password, "updatedAt" = now() from link
      where a."userId" = link.id and a."providerId" = 'credential' returning a.id
    ), made as (
      insert into auth.account ("userId", "accountId", "providerId", password, "updatedAt")
      select id, id::text, 'credential', :password, now() from link where not exists (select from changed)
    )
    select id, email from link`,
);

/** The link was emailed, so the person who uses it owns the mailbox. */
const CONFIRM_ADDRESS = statement<{ userId: string }>(
  'identity_confirm_address',
  `update auth."user" set "emailVerified" = true where id = :userId`,
);

const END_SESSIONS = statement<{ userId: string }>(
  'identity_end_sessions',
  'delete from auth.session where "userId" = :userId',
);

/**
 * The user's row is locked first, as by a reset. Afterwards, the password is still the one that was compared, and the session
 * still exists, or nothing changes.
 */
const LOCK_USER = statement<{ userId: string }>(
  'identity_lock_user',
  'select from auth."user" where id = :userId for update',
);

const CHANGE_PASSWORD = statement<
  { userId: string; sessionId: string; before: string; password: string },
  { id: string }
>(
  'identity_change_password',
  `
    update auth.account set password = :password, "updatedAt" = now()
    where "userId" = :userId and "providerId" = 'credential' and password = :before
      and exists (select from auth.session where id = :sessionId)
    returning id`,
);

/** Whoever has a copy of the cookie from before is signed out. The session keeps its second factor. */
const REPLACE_TOKEN = statement<{ sessionId: string; tokenHash: string }>(
  'identity_replace_token',
  'update auth.session set token = :tokenHash, "updatedAt" = now() where id = :sessionId',
);

const END_OTHER_SESSIONS = statement<{ userId: string; sessionId: string }>(
  'identity_end_other_sessions',
  'delete from auth.session where "userId" = :userId and id <> :sessionId',
);

const KEEP_CONFIRMATION = statement<{ identifier: string; userId: string; expiresAt: Date }>(
  'identity_keep_confirmation',
  `
    insert into auth.verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
    values (gen_random_uuid(), :identifier, :userId, :expiresAt, now(), now())`,
);

/**
 * Matches only while the user still has the address that the link was sent to, and has not confirmed it. The password is
 * of the same snapshot: a reset that ends before it ends the link as well.
 */
const TAKE_CONFIRMATION = statement<{ identifier: string; email: string }, { id: string; password: string | null }>(
  'identity_take_confirmation',
  `
    with taken as (
      delete from auth.verification v using auth."user" u
      where v.identifier = :identifier and v."expiresAt" > now() and u.id::text = v.value and u.email = :email
        and not u."emailVerified"
      returning u.id
    )
    select t.id, a.password from taken t
    left join auth.account a on a."userId" = t.id and a."providerId" = 'credential'`,
);

const KEEP_ADDRESS_CHANGE = statement<{ identifier: string; userId: string }>(
  'identity_keep_address_change',
  `
    insert into auth.verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
    values (gen_random_uuid(), :identifier, :userId, now() + interval '24 hours', now(), now())`,
);

/**
 * Uses a link that changes its user's address, and ends all other links of the user: they were sent to the old one. The
 * user's row is locked first, so of several links used at once, one counts. An address that somebody has meanwhile
 * undoes all of it.
 */
const CHANGE_ADDRESS = statement<{ userId: string; identifier: string; email: string }, { id: string }>(
  'identity_change_address',
  `
    with owner as materialized (select id from auth."user" where id = :userId for update),
    link as (
      delete from auth.verification v using owner
      where v.identifier = :identifier and v.value = owner.id::text and v."expiresAt" > now() returning owner.id
    ), others as (
      delete from auth.verification v using link where v.value = link.id::text and v.identifier <> :identifier
    )
    update auth."user" u set email = :email, "emailVerified" = true, "updatedAt" = now() from link
    where u.id = link.id
    returning u.id`,
);
const UNIQUE_VIOLATION = '23505';
const MAX_TOKEN_LENGTH = 600;

/** Links that reset the password or confirm the address, and sign-ins that wait for their second step. */
const END_ALL = statement<{ userId: string }>(
  'identity_end_links',
  'delete from auth.verification where value = :userId',
);

/** The links in emails: each works once, and a new password ends all of a user's links. */
export class Links {
  private readonly sql: Sql;

  constructor(pool: pg.Pool) {
    this.sql = sqlOn(pool);
  }

  /** Whether this token is of a link that sets a password. */
  async isReset(token: string): Promise<boolean> {
    return (await execute(this.sql, FIND_RESET, { identifier: resetting(token) })).length === 1;
  }

  /**
   * Stores a link that confirms an address, because better-auth only signs these links and does not track their use.
   * Two links for one address in one second have the same token, so each gets its own mark.
   *
   * @returns the link to send
   */
  async keepConfirmation(userId: string, { url, token }: { url: string; token: string }): Promise<string> {
    const expiresAt = new Date((decodeJwt(token).exp ?? 0) * 1000);
    const link = new URL(url);
    link.searchParams.set('once', randomUUID());
    await execute(this.sql, KEEP_CONFIRMATION, { identifier: confirmation(link.searchParams), userId, expiresAt });
    return link.href;
  }

  /**
   * Uses the link with these parameters.
   *
   * @returns whose address it confirms, and the hash of their password; `null` unless the link was sent, is unused, and is
   *   for its user's current address
   */
  async takeConfirmation(link: URLSearchParams): Promise<{ id: string; password: string | null } | null> {
    const email = emailOf(link.get('token') ?? '');
    if (email === null) return null;
    const [taken] = await execute(this.sql, TAKE_CONFIRMATION, { identifier: confirmation(link), email });
    return taken ?? null;
  }

  /**
   * Stores a link that changes the user's address to this one. The token carries the address: it is found by its digest,
   * so nobody can alter it.
   *
   * @returns the token for the link
   */
  async keepAddressChange(userId: string, email: string): Promise<string> {
    const token = `${randomBytes(24).toString('base64url')}.${Buffer.from(email).toString('base64url')}`;
    await execute(this.sql, KEEP_ADDRESS_CHANGE, { identifier: addressChange(token), userId });
    return token;
  }

  /** Changes the address of this user, if the link is theirs, unused and not expired. */
  async changeAddress(userId: string, token: string): Promise<{ readonly email: string } | 'invalid' | 'taken'> {
    if (token.length > MAX_TOKEN_LENGTH) return 'invalid';
    const email = Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url').toString();
    // PostgreSQL takes no such text, and no link has it.
    if (email.includes('\0')) return 'invalid';
    try {
      const changed = await execute(this.sql, CHANGE_ADDRESS, { userId, identifier: addressChange(token), email });
      return changed.length === 1 ? { email } : 'invalid';
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION) return 'taken';
      throw error;
    }
  }

  async end(userId: string): Promise<void> {
    await execute(this.sql, END_ALL, { userId });
  }
}

/**
 * Sets the password of the user whom the link was sent to, and ends all their sessions and links. Runs in the
 * caller's transaction, in this order: the statements after the change end what was opened with the old password, and an
 * owner who never confirmed the address is not told that their password changed.
 *
 * @returns `null` if the link is unknown, used or expired
 */
export async function resetPasswordOf(
  sql: Sql,
  { token, password }: { token: string; password: string },
): Promise<{ id: string; email: string } | null> {
  const [user] = await execute(sql, RESET_PASSWORD, { identifier: resetting(token), password });
  if (!user) return null;
  await execute(sql, CONFIRM_ADDRESS, { userId: user.id });
  await execute(sql, END_ALL, { userId: user.id });
  await execute(sql, END_SESSIONS, { userId: user.id });
  return user;
}

/**
 * Replaces a password that was compared before and the token of the session, and ends the user's links and other sessions.
 *
 * @returns whether it did: a reset or another change may have come first, or the session may have ended
 */
export async function changePasswordOf(
  pool: pg.Pool,
  change: { userId: string; sessionId: string; tokenHash: string; before: string; password: string },
): Promise<boolean> {
  const client = await pool.connect();
  const sql = sqlOn(client);
  try {
    await client.query('begin');
    await execute(sql, LOCK_USER, change);
    const changed = await execute(sql, CHANGE_PASSWORD, change);
    if (changed.length === 1) {
      await execute(sql, END_ALL, change);
      await execute(sql, END_OTHER_SESSIONS, change);
      await execute(sql, REPLACE_TOKEN, change);
    }
    await client.query('commit');
    return changed.length === 1;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** The form in which better-auth stores it. */
function resetting(token: string): string {
  return digest(`reset-password:${token}`);
}

function addressChange(token: string): string {
  return digest(`change-address:${token}`);
}

function confirmation(link: URLSearchParams): string {
  return digest(`confirm-address:${link.get('token')}:${link.get('once')}`);
}

/** Does not verify the token: it was found by its digest, so we issued it. */
function emailOf(token: string): string | null {
  try {
    const { email } = decodeJwt(token);
    return typeof email === 'string' ? email : null;
  } catch {
    return null;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
