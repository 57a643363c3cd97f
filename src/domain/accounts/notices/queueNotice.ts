import { execute, type Sql, statement } from '../../../db/sql.js';

/** An email to an account's user. */
export interface NewNotice {
  readonly accountId: string;
  /** A business fact, such as `storage:arrears:2026-11-20`. Each fact is emailed once. */
  readonly key: string;
  readonly subject: string;
  readonly body: string;
}

const QUEUE = statement<{ accountId: string; key: string; subject: string; body: string }>(
  'notice-queue',
  `
    insert into notice (account_id, key, subject, body, created_at, send_after)
    values (:accountId, :key, :subject, :body, service_now(), service_now())
    on conflict do nothing`,
);

const QUEUE_ALL = statement<{
  accountIds: readonly string[];
  keys: readonly string[];
  subjects: readonly string[];
  bodies: readonly string[];
}>(
  'notice-queue-all',
  `
    insert into notice (account_id, key, subject, body, created_at, send_after)
    select u.account_id, u.key, u.subject, u.body, at.now, at.now
    from unnest(:accountIds::uuid[], :keys::text[], :subjects::text[], :bodies::text[]) u(account_id, key, subject, body)
      cross join (select service_now() as now offset 0) at
    on conflict do nothing`,
);

/** Writes the email in the caller's transaction; `NoticeService.send` sends it later. */
export async function queueNotice(sql: Sql, notice: NewNotice): Promise<void> {
  await execute(sql, QUEUE, {
    accountId: notice.accountId,
    key: notice.key,
    subject: notice.subject,
    body: notice.body,
  });
}

/** Like `queueNotice`, for many emails at once. */
export async function queueNotices(sql: Sql, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await execute(sql, QUEUE_ALL, {
    accountIds: notices.map(({ accountId }) => accountId),
    keys: notices.map(({ key }) => key),
    subjects: notices.map(({ subject }) => subject),
    bodies: notices.map(({ body }) => body),
  });
}
