import { checkedLines } from '../../readableText.js';

const MAX_REASON_LENGTH = 1000;

/** Validates the reason of a staff action for the audit trail. @throws INVALID_INPUT */
export function checkedReason(text: string): string {
  return checkedLines('A reason', text.trim(), { min: 1, max: MAX_REASON_LENGTH });
}
