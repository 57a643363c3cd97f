import { AppError } from '../../errors.js';

const MAX_REASON_LENGTH = 1000;

/** Why staff do something, as the audit trail keeps it. @throws INVALID_INPUT */
export function checkedReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > MAX_REASON_LENGTH || reason.includes('\0')) {
    throw new AppError('INVALID_INPUT', `A reason of 1 to ${MAX_REASON_LENGTH} characters is needed.`);
  }
  return reason;
}
