import type { Sql } from '../../../db/sql.js';
import { queueNotices } from '../../accounts/notices/queueNotice.js';
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
  const notices = owners.map((owner) => ({
    accountId: owner.account_id,
    ...(owner.arrears === '0' ? lowNotice(day, owner) : arrearsNotice(day, owner)),
  }));
  await queueNotices(sql, notices);
  await appendEvents(
    sql,
    owners.map((owner) => nightEvent(day, owner)),
  );
}

function nightEvent(
  day: string,
  { account_id: accountId, bytes, arrears, days_left: daysLeft }: ShortOfCredits,
): NewEvent {
  if (arrears === '0') {
    const data = { day, storedBytes: bytes, daysLeft: Number(daysLeft) };
    return { accountId, type: 'wallet.runway_short', fact: weekOf(day), data };
  }
  const data = { day, storedBytes: bytes, amount: formatCredits(BigInt(arrears)) };
  return { accountId, type: 'storage.arrears', fact: day, data };
}

function arrearsNotice(day: string, { arrears, bytes, auto_allocate: isAutomatic }: ShortOfCredits) {
  return {
    key: `storage:arrears:${day}`,
    subject: 'Storage payment overdue',
    body:
      `Storing your ${gigabytes(bytes)} on ${day} cost ${formatCredits(BigInt(arrears))} credits more than your ` +
      'wallet could pay. They became debt, which your next credits repay first. Until then, no new videos are ' +
      `processed. Your videos keep playing.\n\n${remedy(isAutomatic)}`,
  };
}

function lowNotice(day: string, { days_left: daysLeft, bytes, auto_allocate: isAutomatic }: ShortOfCredits) {
  const left = daysLeft === '1' ? '1 more day' : `${daysLeft} more days`;
  return {
    key: `storage:low:${weekOf(day)}`,
    subject: 'Credits for storage are running low',
    body:
      `Your credits for storage pay for your ${gigabytes(bytes)} for ${left}. After that, unpaid storage becomes ` +
      `debt.\n\n${remedy(isAutomatic)}`,
  };
}

/** What the owner can do. What happens by itself is not asked of them. */
function remedy(isAutomatic: boolean): string {
  return isAutomatic
    ? 'Add credits in your wallet. Storage takes them from Cloud, then from Master.'
    : 'In your wallet, move credits to Cloud, or let Master pay when Cloud runs out.';
}

/** The Monday of this day's week. */
function weekOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

/** Rounded, for people to read. */
function gigabytes(bytes: string): string {
  const gb = Number(bytes) / 1e9;
  return gb < 0.01 ? 'files' : `${gb.toFixed(2)} GB`;
}
