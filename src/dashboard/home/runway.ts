/** Days that a person counts in; beyond them, months and years are easier to picture. */
const COUNTED_DAYS = 400;
const DAYS_PER_YEAR = 365;
/** The service counts no further. */
const LONGEST_DAYS = 36_500;

/**
 * How long storage is paid for, as a sentence.
 *
 * @param runwayDays whole days; null where nothing is stored
 */
export function showRunway(runwayDays: number | null): string {
  if (runwayDays === null) return 'Nothing is stored yet';
  if (runwayDays <= 0) return 'Storage isn’t funded beyond today';
  if (runwayDays === 1) return 'Storage is funded for 1 more day at today’s usage';
  if (runwayDays <= COUNTED_DAYS) return `Storage is funded for ${runwayDays} days at today’s usage`;
  if (runwayDays >= LONGEST_DAYS) return 'Storage is funded for 100+ years at today’s usage';
  return `Storage is funded for about ${Math.floor(runwayDays / DAYS_PER_YEAR)} years at today’s usage`;
}
