import { createHash } from 'node:crypto';

import { execute, type Sql } from '../../../db/sql.js';
import { newId } from '../ids.js';
import { MAX_NEW_AT_ONCE, RAISE, RAISE_MANY } from './alert.sql.js';

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
