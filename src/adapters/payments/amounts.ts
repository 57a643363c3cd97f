import { AppError } from '../../errors.js';

/**
 * The amount as the number that an SDK takes.
 *
 * @throws INVALID_STATE for what a double cannot hold exactly; nobody tops up 90 trillion rupees.
 */
export function minorNumber(amountMinor: bigint): number {
  const amount = Number(amountMinor);
  if (Number.isSafeInteger(amount) && amount > 0) return amount;
  throw new AppError('INVALID_STATE', 'This amount cannot be paid.');
}
