import { words } from '#words/runway.js';

/** With fewer days left, the sentence is a warning. */
export const SHORT_RUNWAY_DAYS = 14;
/** Up to this many days, people count in days; beyond, months and years are easier to picture. */
const COUNTED_DAYS = 400;
const DAYS_PER_YEAR = 365;
/** The service's maximum. */
const LONGEST_DAYS = 36_500;

/**
 * How long storage is funded, as a sentence.
 *
 * @param runwayDays whole days; null if nothing is stored
 */
export function sayRunway(runwayDays: number | null): string {
  if (runwayDays === null) return words.nothingStoredYet;
  return runwayDays > 0 ? words.storageFundedFor(showRunway(runwayDays)) : words.storageIsntFundedBeyond;
}

/** The same as a figure: "312 days", "2 years", "100+ years", or a dash. */
export function showRunway(runwayDays: number | null): string {
  if (runwayDays === null) return '–';
  if (runwayDays <= COUNTED_DAYS) return words.days(runwayDays);
  return runwayDays < LONGEST_DAYS ? words.years(Math.floor(runwayDays / DAYS_PER_YEAR)) : words.n100Years;
}
