import { createHash } from 'node:crypto';

import { execute, type Sql, statement } from '../../../db/sql.js';
import { newId } from '../ids.js';

/** An alert to raise. */
export interface NewAlert {
  /** Such as `payment.mismatch`, from a closed set of dot-separated words. */
  readonly kind: string;
  /**
   * What it is about, such as a payment's id. While an alert with this kind and subject is open, raising it only counts
   * up.
   */
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

/** Writes the alert in the caller's transaction. `AlertService.announce` delivers it later. */
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
/** The most new alerts of one kind per run. One summary alert counts the rest, which later runs raise. */
const MAX_NEW_AT_ONCE = 100;

/** Counts up the alerts that are already open, and inserts the first `MAX_NEW_AT_ONCE` of the others. */
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

/** Raises one alert per finding. Open alerts only count up, so they never crowd out new ones. */
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
  const message = `${untold} more were found, too many to report at once. The next run reports more of them.`;
  await raiseAlert(sql, { kind, subject: `${untold} more`, message });
}

/**
 * Shortens a subject to fit an index row, so that a forged row cannot suppress its alert with a long name. The digest
 * keeps shortened subjects distinct.
 */
function shortened(subject: string): string {
  if (subject.length <= MAX_SUBJECT_LENGTH) return subject;
  const digest = createHash('sha256').update(subject).digest('hex');
  return `${subject.slice(0, MAX_SUBJECT_LENGTH - digest.length)} ${digest}`;
}
