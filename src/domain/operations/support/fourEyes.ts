import type { Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { invitedEachOther, lockStaff } from '../../accounts/staff.js';

/** What one staff member requests and another decides. */
interface Decidable {
  readonly accountId: string;
  readonly requestedBy: string;
  readonly status: string;
}

/**
 * Whether there is still something to decide; `false` if it already has this outcome.
 *
 * @throws FORBIDDEN for one's own request or account, and for the account of one's referrer or invitee; INVALID_STATE
 * if it was decided otherwise, has expired, or its requester is no longer staff
 */
export async function mayDecide(
  sql: Sql,
  actorId: string,
  request: Decidable,
  outcome: 'approved' | 'refused',
): Promise<boolean> {
  const { accountId, requestedBy, status } = request;
  const isParty = actorId === requestedBy || actorId === accountId;
  if (isParty || (await invitedEachOther(sql, actorId, accountId))) {
    throw new AppError('FORBIDDEN', 'This needs another reviewer.');
  }
  if (status === outcome) return false;
  if (status !== 'pending') throw new AppError('INVALID_STATE', `This request is ${status}.`, { details: { status } });
  if (outcome === 'approved') await requireRequester(sql, requestedBy);
  return true;
}

/** A requester who was demoted or suspended since then no longer counts as one. */
async function requireRequester(sql: Sql, requestedBy: string): Promise<void> {
  try {
    await lockStaff(sql, requestedBy);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError('INVALID_STATE', 'The requester is no longer staff. Refuse this request.');
  }
}
