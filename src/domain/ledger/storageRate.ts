import { PRICES } from './prices.js';

const BYTES_PER_GB = 1_000_000_000n;
/** The least common multiple of 28, 29, 30 and 31, so that a day of any month is a whole number of parts. */
const MONTH_PARTS = 377_580n;

/**
 * The number of remainder units in a micro-credit. The unit is so fine that one byte for one day of any month is a
 * whole number of units, so nothing is ever rounded or rescaled.
 */
export const UNITS_PER_MICRO = BYTES_PER_GB * MONTH_PARTS;

/** The price of one byte for a whole month, in those units. */
export const UNITS_PER_BYTE_MONTH = PRICES.storagePerGbMonthMicros * MONTH_PARTS;

/** Warn owners if the allocated credits pay for fewer days than this. */
export const WARN_BELOW_DAYS = 7n;

/** The price of `bytes` for one day of a month with `daysInMonth` days, in units of 1/UNITS_PER_MICRO micro-credit. */
export function unitsPerDay(bytes: bigint, daysInMonth: number): bigint {
  return bytes * (UNITS_PER_BYTE_MONTH / BigInt(daysInMonth));
}

/** How many whole days `availableMicros` pay for at this size; `null` if nothing is stored. */
export function wholeDaysPaid(availableMicros: bigint, bytes: bigint, daysInMonth: number): bigint | null {
  return bytes === 0n ? null : (availableMicros * UNITS_PER_MICRO) / unitsPerDay(bytes, daysInMonth);
}
