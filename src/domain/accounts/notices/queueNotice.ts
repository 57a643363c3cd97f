import { execute, type Sql, statement } from '../../../db/sql.js';
import type { EmailData, EmailKind } from '../../../ports/emails.js';

/** An email to an account's user. */
export type NewNotice = {
  [Kind in EmailKind]: {
    readonly accountId: string;
    /** A business fact, such as `storage:arrears:2026-11-20`. Each fact is emailed once. */
    readonly key: string;
    readonly kind: Kind;
    readonly data: EmailData[Kind];
  };
}[EmailKind];

const QUEUE = statement<{
  accountIds: readonly string[];
  keys: readonly string[];
  kinds: readonly string[];
  data: readonly string[];
}>(
  'notice-queue',
  `
    insert into notice (account_id, key, kind, data, created_at, send_after)
    select u.account_id, u.key, u.kind, u.data, at.now, at.now
    from unnest(:accountIds::uuid[], :keys::text[], :kinds::text[], :data::jsonb[]) u(account_id, key, kind, data)
      cross join (select service_now() as now offset 0) at
    on conflict do nothing`,
);

/** A condition: whether an email with this key was queued within `interval`. The arguments are SQL. */
export const wasQueuedWithin = (interval: string, accountId: string, key: string): string => `exists (
  select from notice n
  where n.account_id = ${accountId} and n.key = ${key} and n.created_at > service_now() - ${interval})`;

/** Writes the emails in the caller's transaction; `NoticeService.send` sends them later. */
export async function queueNotices(sql: Sql, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await execute(sql, QUEUE, {
    accountIds: notices.map(({ accountId }) => accountId),
    keys: notices.map(({ key }) => key),
    kinds: notices.map(({ kind }) => kind),
    data: notices.map(({ data }) => JSON.stringify(data)),
  });
}
