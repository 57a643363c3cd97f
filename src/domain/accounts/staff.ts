import type { Sql, Statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import type { Viewer } from './viewer.js';

const IS_ACTIVE_STAFF: Statement = { name: 'staff-active', text: 'select is_active_staff($1) as active' };

const NEEDS_SECOND_PERSON: Statement = {
  name: 'staff-needs-second-person',
  text: 'select needs_second_person($1, $2) as needed',
};

const INVITED_EACH_OTHER: Statement = {
  name: 'staff-invited-each-other',
  text: 'select invited_each_other($1, $2) as linked',
};

/** One statement: of two at once, the second counts the first. No row where it would be more than `$3` a day. */
const TAKE_ALLOWANCE: Statement = {
  name: 'staff-take-allowance',
  text: `
    insert into staff_day (actor_id, day, micros)
    select $1, (service_now() at time zone 'UTC')::date, $2::bigint where $2::bigint <= $3::bigint
    on conflict (actor_id, day) do update set micros = staff_day.micros + excluded.micros
      where staff_day.micros + excluded.micros <= $3::bigint
    returning micros`,
};

/**
 * Staff, with the second factor passed in this very session.
 *
 * @throws FORBIDDEN, ACCOUNT_SUSPENDED, TWO_FACTOR_REQUIRED
 */
export function assertStaff(viewer: Viewer): void {
  if (viewer.role !== 'support') throw new AppError('FORBIDDEN', 'Only support staff can do this.');
  if (viewer.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  if (!viewer.twoFactorPassed) {
    const message = viewer.twoFactorEnabled
      ? 'Enter a code from your authenticator app first.'
      : 'Staff need two-factor sign-in. Switch it on in your settings first.';
    throw new AppError('TWO_FACTOR_REQUIRED', message);
  }
}

/**
 * Holds a member of staff to what they are until the transaction ends: a demotion or suspension waits, or has come
 * first. Before any other lock.
 *
 * @throws FORBIDDEN
 */
export async function lockStaff(sql: Sql, actorId: string): Promise<void> {
  const [row] = await sql.query<{ active: boolean }>(IS_ACTIVE_STAFF, [actorId]);
  if (!row?.active) throw new AppError('FORBIDDEN', 'Only support staff can do this.');
}

/** True for one's own account, a colleague's, and that of whoever invited them or was invited by them. */
export async function needsSecondPerson(sql: Sql, actorId: string, accountId: string): Promise<boolean> {
  const [row] = await sql.query<{ needed: boolean }>(NEEDS_SECOND_PERSON, [actorId, accountId]);
  return row?.needed !== false;
}

/** True where one has invited the other: neither decides about the other's money. */
export async function invitedEachOther(sql: Sql, actorId: string, accountId: string): Promise<boolean> {
  const [row] = await sql.query<{ linked: boolean }>(INVITED_EACH_OTHER, [actorId, accountId]);
  return row?.linked !== false;
}

/**
 * Counts `micros` (not negative) towards what this person moves alone on this UTC day, over all accounts.
 *
 * @returns false where that would be more than `limitMicros`; nothing is counted then.
 */
export async function takeAllowance(sql: Sql, actorId: string, micros: bigint, limitMicros: bigint): Promise<boolean> {
  const values = [actorId, micros.toString(), limitMicros.toString()];
  return (await sql.query(TAKE_ALLOWANCE, values)).length > 0;
}
