import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { Identity } from '../../../ports/identity.js';
import type { AccountService } from '../../accounts/account.service.js';
import { lockStaff } from '../../accounts/staff.js';
import type { OwnerView, Viewer } from '../../accounts/viewer.js';
import { recordAudit } from '../../shared/audit.js';
import { newId } from '../../shared/ids.js';
import { checkedReason } from '../../shared/reason.js';
import { BEGIN_VIEW, END_VIEW, type StaffViewRow, VIEW_OF_SESSION } from './staffView.sql.js';

const VIEW_SECONDS = 30 * 60;

interface OwnerViewDeps {
  readonly db: Database;
  readonly accounts: Pick<AccountService, 'get'>;
  readonly identity: Pick<Identity, 'viewerOfUser'>;
}

/**
 * Staff look at an account as its owner sees it. While a session is in a view, all of its requests have the
 * owner's identity and may only read. So nothing that it does can use the rights or the account of the member of staff.
 *
 * When its time is over, the session stays in the view and can do nothing but end it. So no page that is still open falls
 * back to the account of the member of staff by itself.
 */
export class OwnerViewService {
  constructor(private readonly deps: OwnerViewDeps) {}

  /**
   * Begins a view in the session of `staff`. The audit trail names who, of which account, and why.
   *
   * @throws FORBIDDEN for one's own account and for staff; ACCOUNT_NOT_FOUND; INVALID_INPUT without a reason; INVALID_STATE if the
   * session is in a view already
   */
  async begin(staff: Viewer, order: { readonly accountId: string; readonly reason: string }): Promise<OwnerView> {
    const { db, accounts } = this.deps;
    const { userId: staffId, sessionId } = staff;
    const reason = checkedReason(order.reason);
    if (sessionId === null) throw new AppError('FORBIDDEN', 'Views need a session. Sign in to the dashboard.');
    const { id: accountId, role } = await accounts.get(order.accountId);
    if (accountId === staffId) throw new AppError('FORBIDDEN', 'This is your own account.');
    if (role === 'support') throw new AppError('FORBIDDEN', 'Accounts of staff can’t be viewed.');
    return db.transaction(async (tx) => {
      await lockStaff(tx.sql, staffId);
      const view = { accountId, id: newId(), staffId, sessionId, seconds: VIEW_SECONDS };
      const [begun] = await execute(tx.sql, BEGIN_VIEW, view);
      if (!begun) throw new AppError('INVALID_STATE', 'You are already viewing an account. End that view first.');
      await recordAudit(tx, { accountId, actorId: staffId, action: 'account.view', subject: begun.id, reason });
      return viewOf(begun, staff);
    });
  }

  /**
   * Who sends the requests of this session: the owner whose account it looks at, or the viewer itself. Other sessions than
   * those of staff cost nothing.
   */
  async viewerIn(viewer: Viewer): Promise<Viewer> {
    if (viewer.role !== 'support' || viewer.sessionId === null) return viewer;
    const { sessionId } = viewer;
    const [row] = await execute(this.deps.db.sql, VIEW_OF_SESSION, { sessionId });
    if (!row) return viewer;
    const owner = await this.deps.identity.viewerOfUser(row.account_id);
    const mayView = viewer.twoFactorPassed && !viewer.suspended && owner?.role === 'owner';
    const open = viewOf(row, viewer);
    const view = { ...open, isOver: open.isOver || !mayView };
    // Nobody, if the account is gone meanwhile.
    const seen = owner ?? { ...viewer, userId: row.account_id, accountId: row.account_id, email: '', name: '' };
    return { ...seen, sessionId: null, accessToken: null, twoFactorPassed: false, role: 'owner', mode: 'live', view };
  }

  /** Ends the view of this request. Ending it again changes nothing. @throws INVALID_STATE outside of a view */
  async end({ accountId, view }: Viewer): Promise<void> {
    if (view === null) throw new AppError('INVALID_STATE', 'You are not viewing an account.');
    const { id, staffId, isOver } = view;
    // The entry may come hours after the last page that was looked at.
    const reason = isOver ? 'it was over' : 'ended';
    await this.deps.db.transaction(async (tx) => {
      if ((await execute(tx.sql, END_VIEW, { accountId, id })).length === 0) return;
      await recordAudit(tx, { accountId, actorId: staffId, action: 'account.end_view', subject: id, reason });
    });
  }
}

function viewOf(row: StaffViewRow, staff: Viewer): OwnerView {
  return {
    id: row.id,
    staffId: staff.userId,
    staffEmail: staff.email,
    endsAt: new Date(row.ends_at),
    secondsLeft: row.seconds_left,
    isOver: row.seconds_left === 0,
  };
}

/** Also for reads that the rules for root fields do not reach. @throws VIEW_ENDED */
export function assertNotOver(view: OwnerView | null): void {
  if (view?.isOver) {
    throw new AppError('VIEW_ENDED', 'Your view has ended. Go back to the support console.');
  }
}

/** For what a member of staff must not do while looking at an account. */
export function readOnlyView(): AppError {
  return new AppError('VIEW_READ_ONLY', 'You are viewing this account. Nothing can be changed or downloaded.');
}
