import { PRICES } from './prices.js';

const BYTES_PER_GB = 1_000_000_000n;
/** The least common multiple of 28, 29, 30 and 31: a day of any month is a whole number of parts. */
const MONTH_PARTS = 377_580n;

/**
 * A micro-credit in the units that remainders are carried in: fine enough for a byte's day of any month to be a whole
 * number of them, so that nothing is ever rounded or rescaled.
 */
export const UNITS_PER_MICRO = BYTES_PER_GB * MONTH_PARTS;

/** What one byte costs for a whole month, in the same units. */
export const UNITS_PER_BYTE_MONTH = PRICES.storagePerGbMonthMicros * MONTH_PARTS;

/** Owners are warned when what is set aside pays for less than this. */
export const WARN_BELOW_DAYS = 7n;

/** What `bytes` cost in one day of a month of `daysInMonth` days, in units of which a micro-credit has UNITS_PER_MICRO. */
export function unitsPerDay(bytes: bigint, daysInMonth: number): bigint {
  return bytes * (UNITS_PER_BYTE_MONTH / BigInt(daysInMonth));
}

/** How many whole days `availableMicros` pay for at this size; `null` where nothing is stored. */
export function wholeDaysPaid(availableMicros: bigint, bytes: bigint, daysInMonth: number): bigint | null {
  return bytes === 0n ? null : (availableMicros * UNITS_PER_MICRO) / unitsPerDay(bytes, daysInMonth);
}
