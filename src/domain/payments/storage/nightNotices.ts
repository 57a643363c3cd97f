import type { Sql } from '../../../db/sql.js';
import { queueNotices, type NewNotice } from '../../accounts/notices/queueNotice.js';
import { formatCredits } from '../../ledger/credits.js';
import { appendEvents, type NewEvent } from '../../shared/events/appendEvent.js';

/** An owner whose credits fell short, or will soon. Numbers are decimal text. */
export interface ShortOfCredits {
  readonly account_id: string;
  readonly bytes: string;
  readonly arrears: string;
  /** Whether CLOUD draws from MASTER. */
  readonly auto_allocate: boolean;
  readonly days_left: string;
}

/** Emails and events of one night: arrears once per day, and low credits once per week. */
export async function tellOfNight(sql: Sql, day: string, owners: readonly ShortOfCredits[]): Promise<void> {
  await queueNotices(
    sql,
    owners.map((owner) => noticeOf(day, owner)),
  );
  await appendEvents(
    sql,
    owners.map((owner) => nightEvent(day, owner)),
  );
}

/** What is written about an owner whose credits fell short on this day, or will soon. */
export function nightEvent(
  day: string,
  { account_id: accountId, bytes, arrears, days_left: daysLeft }: Omit<ShortOfCredits, 'auto_allocate'>,
): NewEvent {
  if (arrears === '0') {
    const data = { day, storedBytes: bytes, daysLeft: Number(daysLeft) };
    return { accountId, type: 'wallet.runway_short', fact: weekOf(day), data };
  }
  const data = { day, storedBytes: bytes, amount: formatCredits(BigInt(arrears)) };
  return { accountId, type: 'storage.arrears', fact: day, data };
}

function noticeOf(day: string, owner: ShortOfCredits): NewNotice {
  const { account_id: accountId, arrears, bytes: storedBytes, auto_allocate: automatic } = owner;
  if (arrears === '0') {
    const data = { daysLeft: Number(owner.days_left), storedBytes, automatic };
    return { accountId, key: `storage:low:${weekOf(day)}`, kind: 'wallet.runway_short', data };
  }
  const data = { day, amount: formatCredits(BigInt(arrears)), storedBytes, automatic };
  return { accountId, key: `storage:arrears:${day}`, kind: 'storage.arrears', data };
}

/** The Monday of this day's week. */
function weekOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}
