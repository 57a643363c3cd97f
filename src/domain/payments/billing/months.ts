/** A month of UTC: from its first moment up to, and without, that of the next. */
export interface Month {
  /** YYYY-MM */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

const MONTH = /^(2\d{3})-(0[1-9]|1[0-2])$/;
const LONG = new Intl.DateTimeFormat('en-IN', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `null` for what is no month, such as `2026-13`. */
export function parseMonth(name: string): Month | null {
  const match = MONTH.exec(name);
  if (!match) return null;
  const [year, month] = [Number(match[1]), Number(match[2])];
  return { name, from: new Date(Date.UTC(year, month - 1)), to: new Date(Date.UTC(year, month)) };
}

/** As people write it: October 2026. */
export function longMonth({ from }: Month): string {
  return LONG.format(from);
}
