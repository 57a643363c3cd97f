import { AppError } from '../../errors.js';

/**
 * The amount as a number, for an SDK.
 *
 * @throws INVALID_STATE if a double cannot hold it exactly; nobody tops up 90 trillion rupees
 */
export function minorNumber(amountMinor: bigint): number {
  const amount = Number(amountMinor);
  if (Number.isSafeInteger(amount) && amount > 0) return amount;
  throw new AppError('INVALID_STATE', 'This amount cannot be paid.');
}
