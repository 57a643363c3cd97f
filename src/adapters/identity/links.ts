import { createHash, randomUUID } from 'node:crypto';

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

  async end(userId: string): Promise<void> {
    await this.pool.query(END_ALL, [userId]);
  }
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
