import { hash } from 'node:crypto';

import { type Database, type NoParams, execute, type Sql, statement } from '../../../db/sql.js';
import type { Logger } from '../../../logger.js';
import type { EmailData, EmailKind, EmailWriter, Enclosure } from '../../../ports/emails.js';
import type { Email, Mailer } from '../../../ports/mailer.js';
import { NOW_ONCE } from '../../shared/clock/now.js';
import { inBatches } from '../../shared/inBatches.js';
import { isNotificationKind } from './notifications.service.js';
import type { UnsubscribeLinks } from './unsubscribeLinks.js';

const MAX_SENT_AT_ONCE = 50;
const MAX_ATTEMPTS = 8;
/** How many videos that are ready share an email with the first, and how many of all it names. */
const MAX_TOGETHER = 999;
const MAX_TITLES = 10;
/**
 * One refused address is no reason to stop. Several failures mean that the mail server is down, and each takes long.
 */
const MAX_FAILURES = 3;

/** One email at a time, so that a lost connection repeats at most one. An account without a user gets no email. */
const DUE = statement<NoParams, NoticeRow>(
  'notice-due',
  `
    select n.account_id, n.key, n.subject, n.body, n.kind, n.data, n.attempts, coalesce(n.to_address, u.email) as email,
      u.name, coalesce(c.email, true) as is_wanted
    from notice n left join auth."user" u on u.id = n.account_id
      left join notification_choice c on c.account_id = n.account_id and c.kind = n.kind
    where n.send_after <= ${NOW_ONCE}
    order by n.send_after limit 1 for update of n skip locked`,
);

/** Others of its kind that are due for the same owner. */
const ALSO_DUE = statement<
  { accountId: string; kind: EmailKind; key: string },
  { key: string; data: EmailData['video.ready'] }
>(
  'notice-also-due',
  `
    select key, data from notice
    where account_id = :accountId and kind = :kind and key <> :key and send_after <= service_now()
    order by send_after, key limit ${MAX_TOGETHER} for update skip locked`,
);

const SENT = statement<{ accountId: string; keys: readonly string[] }>(
  'notice-sent',
  `
    update notice set sent_at = service_now(), send_after = null, attempts = attempts + 1
    where account_id = :accountId and key = any (:keys::text[])`,
);

/** Retries after 1, 2, 4 … minutes, and then gives up. */
const LATER = statement<{ accountId: string; keys: readonly string[] }>(
  'notice-later',
  `
    update notice set attempts = attempts + 1,
      send_after = case when attempts + 1 < ${MAX_ATTEMPTS}
        then service_now() + interval '1 minute' * (2 ^ attempts) end
    where account_id = :accountId and key = any (:keys::text[])`,
);

const FORGET_BATCH = 1_000;

const FORGET = statement<{ keepDays: number }>(
  'notice-forget',
  `
    delete from notice where (account_id, key) in (
      select account_id, key from notice
      where send_after is null and created_at < ${NOW_ONCE} - make_interval(days => :keepDays)
        and coalesce(sent_at, created_at) < service_now() - make_interval(days => :keepDays)
      order by created_at limit ${FORGET_BATCH} for update skip locked)
    returning 1`,
);

interface NoticeRow {
  account_id: string;
  key: string;
  subject: string;
  body: string;
  /** `null` if a version without kinds queued it. */
  kind: EmailKind | null;
  /** `null` as its kind is. */
  data: EmailData[EmailKind] | null;
  attempts: number;
  email: string | null;
  name: string | null;
  is_wanted: boolean;
}

export interface NoticeDeps {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly writer: EmailWriter;
  /** The document that goes with an email; `null` if there is none. */
  readonly enclosureOf: (accountId: string, kind: EmailKind, data: EmailData[EmailKind]) => Promise<Enclosure | null>;
  /**
   * Where the owner wants emails of this kind instead of the address of the sign-in, which gets them after all if they
   * would be given up; `null` for no other place.
   */
  readonly otherAddressOf: (accountId: string, kind: EmailKind) => Promise<string | null>;
  readonly unsubscribeLinks: Pick<UnsubscribeLinks, 'urlFor'>;
  /** The host of this service, for the ids of its emails. */
  readonly host: string;
  readonly logger: Logger;
  /** How many days an email is kept after it was sent or given up. */
  readonly keepDays: number;
}

/**
 * Sends the emails that `queueNotices` and triggers wrote: each at least once. An email has the same `Message-ID` in
 * every attempt, and one that the mail server has taken is not sent again by this process, even if that could not be
 * recorded.
 */
export class NoticeService {
  /** Taken by the mail server, but not recorded yet: the keys of the notices that each email told. */
  private readonly taken = new Map<string, readonly string[]>();

  constructor(private readonly deps: NoticeDeps) {}

  /** @returns the number of emails sent */
  async send(signal?: AbortSignal): Promise<number> {
    let sent = 0;
    let failed = 0;
    while (sent + failed < MAX_SENT_AT_ONCE && failed < MAX_FAILURES) {
      if (signal?.aborted) break;
      const outcome = await this.sendNext();
      if (outcome === 'none') break;
      if (outcome === 'sent') sent += 1;
      else failed += 1;
    }
    return sent;
  }

  /** Deletes emails that were sent or given up `keepDays` ago, in batches. Runs nightly. @returns how many */
  forget(signal?: AbortSignal): Promise<number> {
    const { db, keepDays } = this.deps;
    return inBatches(FORGET_BATCH, async () => (await execute(db.sql, FORGET, { keepDays })).length, signal);
  }

  private async sendNext(): Promise<'sent' | 'failed' | 'none'> {
    let id = '';
    const outcome = await this.deps.db.transaction(async ({ sql }) => {
      const [notice] = await execute(sql, DUE);
      if (!notice) return 'none';
      id = messageIdOf(notice, this.deps.host);
      return this.deliver(sql, notice, id);
    });
    // The row says that the email was sent only once this is committed.
    this.taken.delete(id);
    return outcome;
  }

  private async deliver(sql: Sql, notice: NoticeRow, messageId: string): Promise<'sent' | 'failed'> {
    const isToSend = notice.email !== null && isWanted(notice);
    const told = isToSend ? await withOthers(sql, notice) : { ...notice, keys: [notice.key] };
    const of = { accountId: notice.account_id, keys: this.taken.get(messageId) ?? told.keys };
    try {
      if (told.email !== null && isToSend && !this.taken.has(messageId)) {
        await this.deps.mailer.send({ messageId, ...(await this.contentOf(told, told.email)) });
        this.taken.set(messageId, of.keys);
      }
    } catch (error) {
      this.deps.logger.warn({ scope: 'notice', ...of, err: error }, 'could not send an email');
      await execute(sql, LATER, of);
      return 'failed';
    }
    await execute(sql, SENT, of);
    return 'sent';
  }

  private async contentOf(notice: NoticeRow, email: string): Promise<Content> {
    const { account_id: accountId, kind, data, name, attempts, subject, body } = notice;
    if (kind === null || data === null) return { to: email, subject, text: body };
    // Asked again in each attempt: the owner may have corrected it.
    const wanted = await this.deps.otherAddressOf(accountId, kind);
    // Before it is given up, the user gets what the other address did not take.
    const isLast = attempts + 1 >= MAX_ATTEMPTS;
    const other = isLast ? null : wanted;
    const refusedBy = isLast && wanted !== null ? [['Could not be sent to', wanted] as const] : [];
    const enclosure = await this.deps.enclosureOf(accountId, kind, data);
    // Whoever reads the other address is not the user, and must not decide for them.
    const unsubscribeUrl =
      other === null
        ? this.deps.unsubscribeLinks.urlFor(accountId, kind === 'videos.ready' ? 'video.ready' : kind)
        : null;
    const context = {
      name: (other === null && name) || '',
      unsubscribeUrl,
      facts: [...(enclosure?.facts ?? []), ...refusedBy],
    };
    return {
      to: other ?? email,
      ...this.deps.writer.write(kind, data, context),
      ...(unsubscribeUrl === null ? {} : { headers: unsubscribeHeaders(unsubscribeUrl) }),
      ...(enclosure === null ? {} : { attachments: [enclosure] }),
    };
  }
}

type Content = Pick<Email, 'to' | 'subject' | 'text' | 'html' | 'headers' | 'attachments'>;

/** A hundred videos that become ready together are one email. */
async function withOthers(sql: Sql, notice: NoticeRow): Promise<NoticeRow & { readonly keys: readonly string[] }> {
  const { account_id: accountId, key, kind } = notice;
  const others = kind === 'video.ready' ? await execute(sql, ALSO_DUE, { accountId, kind, key }) : [];
  if (others.length === 0) return { ...notice, keys: [key] };
  const titles = [notice.data as EmailData['video.ready'], ...others.map(({ data }) => data)].map(({ title }) => title);
  return {
    ...notice,
    kind: 'videos.ready',
    data: { titles: titles.slice(0, MAX_TITLES), count: titles.length },
    keys: [key, ...others.map((other) => other.key)],
  };
}

/** Read when the email is sent, so that it also holds for those that wait. */
function isWanted({ kind, is_wanted: wanted }: NoticeRow): boolean {
  return wanted || kind === null || !isNotificationKind(kind);
}

/** A button of the mail program that posts to the address (RFC 8058). */
function unsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** The same for every attempt, and it tells nothing about the account. */
function messageIdOf({ account_id: accountId, key }: NoticeRow, host: string): string {
  return `<${hash('sha256', `${accountId}|${key}`, 'base64url')}@${host}>`;
}

/** Retries emails that were given up, with a fresh count of attempts. */
export const SEND_AGAIN = statement(
  'doctor-send-again',
  `
    update notice set attempts = 0, send_after = service_now()
    where sent_at is null and send_after is null
    returning key`,
);
