import type { Viewer } from '../../../domain/accounts/viewer.js';
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
    account: { id: viewer.accountId, suspended: viewer.suspended },
  };
}
