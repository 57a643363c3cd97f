import type { Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { invitedEachOther, lockStaff } from '../../accounts/staff.js';

/** What one member of staff asked for and another decides. */
interface Decidable {
  readonly accountId: string;
  readonly requestedBy: string;
  readonly status: string;
}

/**
 * Whether there is still something to decide: `false` where it was decided so before.
 *
 * @throws FORBIDDEN for one's own request or account, and that of whoever one has invited or was invited by;
 * INVALID_STATE once it was decided otherwise, has expired, or was asked for by somebody who is no longer staff
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

/** Whoever was demoted or suspended since has no say any more, in what they asked for either. */
async function requireRequester(sql: Sql, requestedBy: string): Promise<void> {
  try {
    await lockStaff(sql, requestedBy);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError('INVALID_STATE', 'The requester is no longer staff. Refuse this request.');
  }
}
