import type { Sql, Statement } from '../../db/sql.js';
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

const RAISE: Statement = {
  name: 'alert-raise',
  text: `
    insert into alert (id, kind, subject, message, account_id, raised_at, last_raised_at)
    values ($1, $2, $3, $4, $5, service_now(), service_now())
    on conflict (kind, subject) where resolved_at is null
    do update set times = alert.times + 1, last_raised_at = excluded.last_raised_at, message = excluded.message`,
};

/** Writes the alert in the caller's transaction; `AlertService.announce` tells somebody. */
export async function raiseAlert(sql: Sql, alert: NewAlert): Promise<void> {
  await sql.query(RAISE, [newId(), alert.kind, alert.subject, alert.message, alert.accountId ?? null]);
}
