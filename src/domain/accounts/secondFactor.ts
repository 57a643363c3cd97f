import { AppError } from '../../errors.js';
import type { Viewer } from './viewer.js';

/**
 * Requires that the session has passed the second factor, if its user has one. A session may have begun without it: before
 * it was switched on, or on a trusted device.
 *
 * @throws TWO_FACTOR_REQUIRED
 */
export function assertSecondFactor(viewer: Viewer): void {
  if (!viewer.twoFactorEnabled || viewer.twoFactorPassed) return;
  throw new AppError('TWO_FACTOR_REQUIRED', 'Enter a code from your authenticator app first.');
}
