import { type Database, type NoParams, execute, type Sql, statement } from '../../../db/sql.js';
import type { Logger } from '../../../logger.js';
import type { Mailer } from '../../../ports/mailer.js';

const MAX_SENT_AT_ONCE = 50;
const MAX_ATTEMPTS = 8;
/**
 * One refused address is no reason to stop. Several failures mean that the mail server is down, and each takes long.
 */
const MAX_FAILURES = 3;

/** One email at a time, so that a lost connection repeats at most one. An account without a user gets no email. */
const DUE = statement<NoParams, NoticeRow>(
  'notice-due',
  `
    select n.account_id, n.key, n.subject, n.body, n.attempts, u.email
    from notice n left join auth."user" u on u.id = n.account_id
    where n.send_after <= service_now()
    order by n.send_after limit 1 for update of n skip locked`,
);

const SENT = statement<{ accountId: string; key: string }>(
  'notice-sent',
  `
    update notice set sent_at = service_now(), send_after = null, attempts = attempts + 1
    where account_id = :accountId and key = :key`,
);

/** Retries after 1, 2, 4 … minutes, and then gives up. */
const LATER = statement<{ accountId: string; key: string }>(
  'notice-later',
  `
    update notice set attempts = attempts + 1,
      send_after = case when attempts + 1 < ${MAX_ATTEMPTS}
        then service_now() + interval '1 minute' * (2 ^ attempts) end
    where account_id = :accountId and key = :key`,
);

const FORGET_BATCH = 1_000;

const FORGET = statement<{ keepDays: number }>(
  'notice-forget',
  `
    delete from notice where (account_id, key) in (
      select account_id, key from notice
      where send_after is null and created_at < service_now() - make_interval(days => :keepDays)
        and coalesce(sent_at, created_at) < service_now() - make_interval(days => :keepDays)
      order by created_at limit ${FORGET_BATCH} for update skip locked)
    returning 1`,
);

interface NoticeRow {
  account_id: string;
  key: string;
  subject: string;
  body: string;
  attempts: number;
  email: string | null;
}

/** Sends the emails that `queueNotice` wrote: each at least once, and nearly always exactly once. */
export class NoticeService {
  constructor(
    private readonly deps: { readonly db: Database; readonly mailer: Mailer; readonly logger: Logger },
    /** How many days the text of an email is kept after it was sent or given up. */
    private readonly keepDays = 90,
  ) {}

  /** @returns the number of emails sent */
  async send(signal?: AbortSignal): Promise<number> {
    let sent = 0;
    let failed = 0;
    while (sent + failed < MAX_SENT_AT_ONCE && failed < MAX_FAILURES) {
      if (signal?.aborted) break;
      const outcome = await this.deps.db.transaction(({ sql }) => this.sendNext(sql));
      if (outcome === 'none') break;
      if (outcome === 'sent') sent += 1;
      else failed += 1;
    }
    return sent;
  }

  /** Deletes emails that were sent or given up `keepDays` ago, in batches. Runs nightly. @returns how many */
  async forget(signal?: AbortSignal): Promise<number> {
    const { keepDays } = this;
    for (let count = 0; ;) {
      const deleted = await execute(this.deps.db.sql, FORGET, { keepDays });
      count += deleted.length;
      if (deleted.length < FORGET_BATCH) return count;
      signal?.throwIfAborted();
    }
  }

  private async sendNext(sql: Sql): Promise<'sent' | 'failed' | 'none'> {
    const [notice] = await execute(sql, DUE);
    if (!notice) return 'none';
    const { account_id: accountId, key, subject, body, email } = notice;
    try {
      if (email !== null) await this.deps.mailer.send({ to: email, subject, text: body });
    } catch (error) {
      this.deps.logger.warn({ scope: 'notice', accountId, key, err: error }, 'could not send an email');
      await execute(sql, LATER, { accountId, key });
      return 'failed';
    }
    await execute(sql, SENT, { accountId, key });
    return 'sent';
  }
}

/** Retries emails that were given up, with a fresh count of attempts. */
export const SEND_AGAIN = statement(
  'doctor-send-again',
  `
    update notice set attempts = 0, send_after = service_now()
    where sent_at is null and send_after is null
    returning key`,
);
