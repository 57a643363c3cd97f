import type { Sql, Statement } from '../../../db/sql.js';

/** A mail to an account's user. */
export interface NewNotice {
  readonly accountId: string;
  /** A business fact, such as `storage:arrears:2026-11-20`: the same fact is mailed once. */
  readonly key: string;
  readonly subject: string;
  readonly body: string;
}

const QUEUE: Statement = {
  name: 'notice-queue',
  text: `
    insert into notice (account_id, key, subject, body, created_at, send_after)
    values ($1, $2, $3, $4, service_now(), service_now())
    on conflict do nothing`,
};

const QUEUE_ALL: Statement = {
  name: 'notice-queue-all',
  text: `
    insert into notice (account_id, key, subject, body, created_at, send_after)
    select u.account_id, u.key, u.subject, u.body, at.now, at.now
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) u(account_id, key, subject, body)
      cross join (select service_now() as now offset 0) at
    on conflict do nothing`,
};

/** Writes the mail in the caller's transaction; `NoticeService.send` sends it. */
export async function queueNotice(sql: Sql, notice: NewNotice): Promise<void> {
  await sql.query(QUEUE, [notice.accountId, notice.key, notice.subject, notice.body]);
}

/** As `queueNotice`, for many at once. */
export async function queueNotices(sql: Sql, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await sql.query(QUEUE_ALL, [
    notices.map(({ accountId }) => accountId),
    notices.map(({ key }) => key),
    notices.map(({ subject }) => subject),
    notices.map(({ body }) => body),
  ]);
}
