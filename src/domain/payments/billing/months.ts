/** A UTC month: `from` is inclusive, `to` is the start of the next month. */
export interface Month {
  /** YYYY-MM */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

const MONTH = /^(2\d{3})-(0[1-9]|1[0-2])$/;
const LONG = new Intl.DateTimeFormat('en-IN', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Returns `null` for an invalid month, such as `2026-13`. */
export function parseMonth(name: string): Month | null {
  const match = MONTH.exec(name);
  if (!match) return null;
  const [year, month] = [Number(match[1]), Number(match[2])];
  return { name, from: new Date(Date.UTC(year, month - 1)), to: new Date(Date.UTC(year, month)) };
}

/** For people to read: October 2026. */
export function longMonth({ from }: Month): string {
  return LONG.format(from);
}
