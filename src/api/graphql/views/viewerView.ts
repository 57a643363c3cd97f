import type { OwnerView as OwnerViewRecord, Viewer } from '../../../domain/accounts/viewer.js';
import type { OwnerView } from '../types/ownerView.js';
import type { Viewer as ViewerType } from '../types/viewer.js';

export function viewerView(viewer: Viewer): ViewerType {
  return {
    id: viewer.userId,
    email: viewer.email,
    name: viewer.name,
    emailVerified: viewer.emailVerified,
    twoFactorEnabled: viewer.twoFactorEnabled,
    twoFactorPassed: viewer.twoFactorPassed,
    role: viewer.role,
    mode: viewer.mode,
    view: viewer.view && ownerViewView(viewer.view),
    account: { id: viewer.accountId, suspended: viewer.suspended },
  };
}

/** Leaves out the ids of staff. */
export function ownerViewView({ id, staffEmail, endsAt, secondsLeft, isOver }: OwnerViewRecord): OwnerView {
  return { id, staffEmail, endsAt, secondsLeft, isOver };
}
