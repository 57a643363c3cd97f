import { execute, type Sql, statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { assertSecondFactor } from '../../ports/identity.js';
import { liveModeOnly } from './testMode/testMode.service.js';
import type { Viewer } from './viewer.js';

const IS_ACTIVE_STAFF = statement<{ actorId: string }, { active: boolean }>(
  'staff-active',
  'select is_active_staff(:actorId) as active',
);

const NEEDS_SECOND_PERSON = statement<{ actorId: string; accountId: string }, { needed: boolean }>(
  'staff-needs-second-person',
  'select needs_second_person(:actorId, :accountId) as needed',
);

const INVITED_EACH_OTHER = statement<{ actorId: string; accountId: string }, { linked: boolean }>(
  'staff-invited-each-other',
  'select invited_each_other(:actorId, :accountId) as linked',
);

/**
 * A single statement, so that of two concurrent ones the second counts the first. Returns no row if the day's total
 * would exceed `:limitMicros`.
 */
const TAKE_ALLOWANCE = statement<{ actorId: string; micros: string; limitMicros: string }>(
  'staff-take-allowance',
  `
    insert into staff_day (actor_id, day, micros)
    select :actorId, (service_now() at time zone 'UTC')::date, :micros::bigint where :micros::bigint <= :limitMicros::bigint
    on conflict (actor_id, day) do update set micros = staff_day.micros + excluded.micros
      where staff_day.micros + excluded.micros <= :limitMicros::bigint
    returning micros`,
);

/**
 * Requires staff who passed two-factor authentication in this session.
 *
 * @throws FORBIDDEN, LIVE_MODE_ONLY, ACCOUNT_SUSPENDED, TWO_FACTOR_REQUIRED
 */
export function assertStaff(viewer: Viewer): void {
  if (viewer.role !== 'support') throw new AppError('FORBIDDEN', 'Only support staff can do this.');
  // Rules about one's own account compare `accountId`, which is another in test mode.
  if (viewer.mode === 'test') throw liveModeOnly();
  if (viewer.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  assertSecondFactor(viewer);
  if (!viewer.twoFactorPassed) {
    throw new AppError('TWO_FACTOR_REQUIRED', 'Staff need two-factor sign-in. Switch it on in your settings first.');
  }
}

/**
 * Keeps a staff member's role until the transaction ends: a demotion or suspension has either happened or waits. Take
 * it before any other lock.
 *
 * @throws FORBIDDEN
 */
export async function lockStaff(sql: Sql, actorId: string): Promise<void> {
  const [row] = await execute(sql, IS_ACTIVE_STAFF, { actorId });
  if (!row?.active) throw new AppError('FORBIDDEN', 'Only support staff can do this.');
}

/** True for one's own account, a colleague's account, and the account of one's referrer or invitee. */
export async function needsSecondPerson(sql: Sql, actorId: string, accountId: string): Promise<boolean> {
  const [row] = await execute(sql, NEEDS_SECOND_PERSON, { actorId, accountId });
  return row?.needed !== false;
}

/** True if one invited the other. Neither may decide about the other's money. */
export async function invitedEachOther(sql: Sql, actorId: string, accountId: string): Promise<boolean> {
  const [row] = await execute(sql, INVITED_EACH_OTHER, { actorId, accountId });
  return row?.linked !== false;
}

/**
 * Counts `micros` (not negative) towards what this person moves alone on this UTC day, over all accounts.
 *
 * @returns false if the total would exceed `limitMicros`; then nothing is counted
 */
export async function takeAllowance(sql: Sql, actorId: string, micros: bigint, limitMicros: bigint): Promise<boolean> {
  return (
    (await execute(sql, TAKE_ALLOWANCE, { actorId, micros: micros.toString(), limitMicros: limitMicros.toString() }))
      .length > 0
  );
}
