import { createHash, randomBytes, randomUUID } from 'node:crypto';

import { decodeJwt } from 'jose';
import type pg from 'pg';

/**
 * Claims a reset for its link: all others of the same user end before the password changes. If two links are used at
 * once, the second finds itself gone, and ends nothing.
 */
const CLAIM_RESET = `
  with open as (
    select id, identifier from auth.verification
    where value in (select value from auth.verification where identifier = $1 and "expiresAt" > now())
    order by id for update
  )
  delete from auth.verification v using open
  where v.id = open.id and v.identifier <> $1 and exists (select from open where identifier = $1)`;

const KEEP_CONFIRMATION = `
  insert into auth.verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
  values (gen_random_uuid(), $1, $2, $3, now(), now())`;

/** Matches only while the user still has the address that the link was sent to, and has not confirmed it. */
const TAKE_CONFIRMATION = `
  delete from auth.verification v using auth."user" u
  where v.identifier = $1 and v."expiresAt" > now() and u.id::text = v.value and u.email = $2 and not u."emailVerified"`;

const KEEP_ADDRESS_CHANGE = `
  insert into auth.verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
  values (gen_random_uuid(), $1, $2, now() + interval '24 hours', now(), now())`;

/**
 * Uses a link that changes its user's address, and ends all other links of the user: they were sent to the old one. The
 * user's row is locked first, so of several links used at once, one counts. An address that somebody has meanwhile
 * undoes all of it.
 */
const CHANGE_ADDRESS = `
  with owner as materialized (select id from auth."user" where id = $1 for update),
  link as (
    delete from auth.verification v using owner
    where v.identifier = $2 and v.value = owner.id::text and v."expiresAt" > now() returning owner.id
  ), others as (
    delete from auth.verification v using link where v.value = link.id::text and v.identifier <> $2
  )
  update auth."user" u set email = $3, "emailVerified" = true, "updatedAt" = now() from link where u.id = link.id`;
const UNIQUE_VIOLATION = '23505';
const MAX_TOKEN_LENGTH = 600;

/** Links that reset the password or confirm the address, and sign-ins that wait for their second step. */
const END_ALL = `delete from auth.verification where value = $1`;

/** The links in emails: each works once, and a new password ends all of a user's links. */
export class Links {
  constructor(private readonly pool: pg.Pool) {}

  /** Call this before better-auth takes the link with this token. */
  async claimReset(token: string): Promise<void> {
    // The form in which better-auth stores it.
    await this.pool.query(CLAIM_RESET, [digest(`reset-password:${token}`)]);
  }

  /**
   * Stores a link that confirms an address, because better-auth only signs these links and does not track their use.
   * Two links for one address in one second have the same token, so each gets a mark of its own.
   *
   * @returns the link to send
   */
  async keepConfirmation(userId: string, { url, token }: { url: string; token: string }): Promise<string> {
    const expiresAt = new Date((decodeJwt(token).exp ?? 0) * 1000);
    const link = new URL(url);
    link.searchParams.set('once', randomUUID());
    await this.pool.query(KEEP_CONFIRMATION, [confirmation(link.searchParams), userId, expiresAt]);
    return link.href;
  }

  /** Whether the link with these parameters was sent, is unused, and is for its user's current address. */
  async takeConfirmation(link: URLSearchParams): Promise<boolean> {
    const email = emailOf(link.get('token') ?? '');
    if (email === null) return false;
    const { rowCount } = await this.pool.query(TAKE_CONFIRMATION, [confirmation(link), email]);
    return rowCount === 1;
  }

  /**
   * Stores a link that changes the user's address to this one. The token carries the address: it is found by its digest,
   * so nobody can alter it.
   *
   * @returns the token for the link
   */
  async keepAddressChange(userId: string, email: string): Promise<string> {
    const token = `${randomBytes(24).toString('base64url')}.${Buffer.from(email).toString('base64url')}`;
    await this.pool.query(KEEP_ADDRESS_CHANGE, [addressChange(token), userId]);
    return token;
  }

  /** Changes the address of this user, if the link is theirs, unused and not expired. */
  async changeAddress(userId: string, token: string): Promise<{ readonly email: string } | 'invalid' | 'taken'> {
    if (token.length > MAX_TOKEN_LENGTH) return 'invalid';
    const email = Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url').toString();
    // PostgreSQL takes no such text, and no link has it.
    if (email.includes('\0')) return 'invalid';
    try {
      const { rowCount } = await this.pool.query(CHANGE_ADDRESS, [userId, addressChange(token), email]);
      return rowCount === 1 ? { email } : 'invalid';
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION) return 'taken';
      throw error;
    }
  }

  async end(userId: string): Promise<void> {
    await this.pool.query(END_ALL, [userId]);
  }
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
