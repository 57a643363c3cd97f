import { createHash } from 'node:crypto';

import type pg from 'pg';

import { execute, type Sql, sqlOn, statement } from '../../db/sql.js';

export interface Limit {
  readonly max: number;
  readonly windowSeconds: number;
}

/** How often counting an attempt also removes windows that are over. */
const SWEEP_EVERY_MS = 10 * 60_000;
/** Longer than any window. */
const KEPT_SECONDS = 2 * 3600;

const NOW_MS = `(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Counts one attempt and returns how many there are in its window. One statement, so that concurrent attempts cannot
 * bypass each other. A window that begins in the future was opened while the clock was wrong, and counts as over.
 */
const COUNT = statement<{ name: string; windowMs: number }, { count: number; seconds_left: number }>(
  'identity_count_attempt',
  `
    insert into auth."rateLimit" as r (key, count, "lastRequest") values (:name, 1, ${NOW_MS})
    on conflict (key) do update set
      count = case when ${NOW_MS} - r."lastRequest" between 0 and :windowMs - 1
        then least(r.count + 1, 1000000) else 1 end,
      "lastRequest" = case when ${NOW_MS} - r."lastRequest" between 0 and :windowMs - 1
        then r."lastRequest" else excluded."lastRequest" end
    returning count, ceil((r."lastRequest" + :windowMs - ${NOW_MS}) / 1000.0)::int as seconds_left`,
);
const FORGET = statement<{ name: string }>(
  'identity_forget_attempts',
  `delete from auth."rateLimit" where key = :name`,
);
const SWEEP = statement(
  'identity_sweep_attempts',
  `delete from auth."rateLimit"
    where "lastRequest" not between ${NOW_MS} - ${KEPT_SECONDS * 1000} and ${NOW_MS}`,
);
const HAS_SESSION = statement<{ email: string; network: string }>(
  'identity_has_session',
  `select from auth.session s join auth."user" u on u.id = s."userId"
    where u.email = :email and s."ipAddress" = :network and s."expiresAt" > now() limit 1`,
);

/** Counts attempts of every kind in the database, in fixed windows, so that all processes share one count. */
export class Attempts {
  private sweptAtMs = 0;

  private readonly sql: Sql;

  constructor(pool: pg.Pool) {
    this.sql = sqlOn(pool);
  }

  /**
   * Counts one attempt.
   *
   * @param name what is counted, and for whom
   * @returns `null` within the limit; otherwise the whole seconds until the window is over, from 1 to its length
   */
  async count(name: string, { max, windowSeconds }: Limit): Promise<number | null> {
    const [row] = await execute(this.sql, COUNT, { name, windowMs: windowSeconds * 1000 });
    await this.sweep();
    if (row === undefined || row.count <= max) return null;
    return Math.min(Math.max(row.seconds_left, 1), windowSeconds);
  }

  async forget(name: string): Promise<void> {
    await execute(this.sql, FORGET, { name });
  }

  /** Whether the owner of a mailbox has a session from this network. */
  async isAtHome(email: string, network: string): Promise<boolean> {
    // Sessions with an unknown address store none, so an empty network proves nothing.
    if (network === '') return false;
    const rows = await execute(this.sql, HAS_SESSION, { email: email.trim().toLowerCase(), network });
    return rows.length > 0;
  }

  private async sweep(): Promise<void> {
    if (performance.now() - this.sweptAtMs < SWEEP_EVERY_MS && this.sweptAtMs > 0) return;
    this.sweptAtMs = performance.now();
    await execute(this.sql, SWEEP);
  }
}

/** Mail providers that deliver `a.b@` and `ab@` to one mailbox. */
const DOTLESS = new Set(['gmail.com', 'googlemail.com']);

/**
 * One name per mailbox, however it is written: in any case, with `+tags`, with dots where the provider ignores them. A
 * hash, so that the counts store no addresses.
 */
export function mailboxName(email: string): string {
  const plain = email.normalize('NFKC').trim().toLowerCase();
  const at = plain.lastIndexOf('@');
  const domain = plain.slice(at + 1).replace(/\.+$/, '');
  const local = plain.slice(0, Math.max(at, 0)).replace(/\+.*$/s, '');
  const isDotless = DOTLESS.has(domain);
  const mailbox = `${isDotless ? local.replaceAll('.', '') : local}@${isDotless ? 'gmail.com' : domain}`;
  return createHash('sha256').update(mailbox).digest('base64url');
}
