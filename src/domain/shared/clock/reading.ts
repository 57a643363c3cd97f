/** One reading of the database's clock, with this machine's own clocks. All values in milliseconds. */
export interface Reading {
  readonly nowMs: number;
  /** The last trusted reading. */
  readonly seenAtMs: number;
  /** When this machine booted, according to this reading. */
  readonly bootedAtMs: number;
  /** The same according to an earlier reading; `null` if there is none since this machine booted. */
  readonly anchoredBootMs: number | null;
  /** How far this machine's calendar is ahead of the database machine's calendar. */
  readonly calendarAheadMs: number;
  /** How long the reading took. */
  readonly uncertaintyMs: number;
}

/** The difference between two clocks that still needs no attention. */
const TOLERANCE_MS = 5 * 60_000;
/** If no machine measured its length, a longer gap may just as well be a leap of the clock. */
const MAX_SILENCE_MS = 48 * 3_600_000;

/** Returns why days must not be charged by this reading, as a sentence for staff, or `null` if they may be. */
export function whatIsWrong(reading: Reading): string | null {
  const { nowMs, seenAtMs, bootedAtMs, anchoredBootMs, calendarAheadMs, uncertaintyMs } = reading;
  const toleranceMs = TOLERANCE_MS + uncertaintyMs;
  const leapMs = anchoredBootMs === null ? 0 : bootedAtMs - anchoredBootMs;
  if (Math.abs(leapMs) > toleranceMs) {
    return `The database’s clock jumped ${lengthOf(leapMs)} ${leapMs > 0 ? 'ahead' : 'back'}, to ${textOf(nowMs)}.`;
  }
  if (nowMs < seenAtMs - toleranceMs) {
    return `The database’s clock reads ${textOf(nowMs)}, but has read ${textOf(seenAtMs)} before.`;
  }
  if (Math.abs(calendarAheadMs) > toleranceMs) {
    const side = calendarAheadMs > 0 ? 'ahead of' : 'behind';
    return `The clock of a service machine is ${lengthOf(calendarAheadMs)} ${side} the database’s.`;
  }
  if (anchoredBootMs === null && nowMs - seenAtMs > MAX_SILENCE_MS) {
    return (
      `The database’s clock reads ${textOf(nowMs)}, and was last seen at ${textOf(seenAtMs)}: ` +
      `either nothing ran for ${lengthOf(nowMs - seenAtMs)}, or it jumped.`
    );
  }
  return null;
}

function textOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function lengthOf(spanMs: number): string {
  const minutes = Math.round(Math.abs(spanMs) / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
