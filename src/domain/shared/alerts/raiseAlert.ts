import { createHash } from 'node:crypto';

import { execute, type Sql, statement } from '../../../db/sql.js';
import { newId } from '../ids.js';

/** What somebody on the staff has to look at. */
export interface NewAlert {
  /** Such as `payment.mismatch`: a closed set of words, dot-separated. */
  readonly kind: string;
  /** What it is about, such as a payment's id. While an alert of one kind about one subject is open, it only counts. */
  readonly subject: string;
  /** A sentence for staff, without secrets. */
  readonly message: string;
  readonly accountId?: string | null;
}

const RAISE = statement<{ id: string; kind: string; subject: string; message: string; accountId: string | null }>(
  'alert-raise',
  `
    insert into alert (id, kind, subject, message, account_id, raised_at, last_raised_at)
    values (:id, :kind, :subject, :message, :accountId, service_now(), service_now())
    on conflict (kind, subject) where resolved_at is null
    do update set times = alert.times + 1, last_raised_at = excluded.last_raised_at, message = excluded.message`,
);

/** Writes the alert in the caller's transaction; `AlertService.announce` tells somebody. */
export async function raiseAlert(sql: Sql, alert: NewAlert): Promise<void> {
  await execute(sql, RAISE, {
    id: newId(),
    kind: alert.kind,
    subject: alert.subject,
    message: alert.message,
    accountId: alert.accountId ?? null,
  });
}

const MAX_SUBJECT_LENGTH = 500;
/** At most so many new alerts of one kind at once; one more counts the rest, and the next run tells more of them. */
const MAX_NEW_AT_ONCE = 100;

/** Those that are open count; of the others, the first are written. */
const RAISE_MANY = statement<
  { kind: string; ids: readonly string[]; subjects: readonly string[]; messages: readonly string[] },
  { fresh: number }
>(
  'alert-raise-many',
  `
    with raised as (
      select * from unnest(:ids::uuid[], :subjects::text[], :messages::text[]) with ordinality r(id, subject, message, nth)
    ), open as (
      update alert a set times = a.times + 1, last_raised_at = service_now(), message = r.message
      from raised r where a.kind = :kind and a.subject = r.subject and a.resolved_at is null
      returning a.subject
    ), fresh as (
      select * from raised r where not exists (select from open o where o.subject = r.subject)
    ), told as (
      insert into alert (id, kind, subject, message, raised_at, last_raised_at)
      select id, :kind, subject, message, service_now(), service_now() from fresh order by nth limit ${MAX_NEW_AT_ONCE}
      on conflict (kind, subject) where resolved_at is null do nothing
    )
    select (select count(*) from fresh)::integer as fresh`,
);

/** Raises what was found together, each on its own: what is open only counts, and hides nothing new. */
export async function raiseAlerts(
  sql: Sql,
  { kind, alerts }: { readonly kind: string; readonly alerts: readonly { subject: string; message: string }[] },
): Promise<void> {
  const messages = new Map(alerts.map(({ subject, message }) => [shortened(subject), message]));
  const [row] = await execute(sql, RAISE_MANY, {
    kind,
    ids: [...messages].map(() => newId()),
    subjects: [...messages.keys()],
    messages: [...messages.values()],
  });
  const untold = row!.fresh - MAX_NEW_AT_ONCE;
  if (untold <= 0) return;
  const message = `${untold} more were found, too many to tell of each. The next run tells of the next ones.`;
  await raiseAlert(sql, { kind, subject: `${untold} more`, message });
}

/** An index holds no row of any length, and whoever forges a row must not silence its alert by a long name. */
function shortened(subject: string): string {
  if (subject.length <= MAX_SUBJECT_LENGTH) return subject;
  const digest = createHash('sha256').update(subject).digest('hex');
  return `${subject.slice(0, MAX_SUBJECT_LENGTH - digest.length)} ${digest}`;
}
