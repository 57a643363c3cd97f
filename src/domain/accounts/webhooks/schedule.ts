const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Before the second, third, … attempt: ten attempts in about three days. */
const RETRY_SECONDS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
export const MAX_ATTEMPTS = RETRY_SECONDS.length + 1;

/** An endpoint that fails is disabled after three days in which it was tried again and again. */
export const MAX_FAILING_SECONDS = 72 * HOUR;

/**
 * Longer than any delivery waits for its next attempt. If an endpoint was not tried for so long, nothing is known of it
 * in this time, and its failures count from zero.
 */
export const MAX_QUIET_SECONDS = 28 * HOUR;

const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 5 * MINUTE;
/** Spreads what failed together. */
const JITTER = 0.1;

/** Until a delivery is tried again, after so many failed attempts; `null` after the last one. */
export function retrySeconds(attempts: number, random: () => number = Math.random): number | null {
  const seconds = RETRY_SECONDS[attempts - 1];
  return seconds === undefined ? null : jittered(seconds, random);
}

/** Until an endpoint is tried again, after so many failures in a row: 5 seconds, growing to 5 minutes. */
export function pauseSeconds(failures: number, random: () => number = Math.random): number {
  return jittered(Math.min(FIRST_PAUSE_SECONDS * 4 ** (failures - 1), LONGEST_PAUSE_SECONDS), random);
}

function jittered(seconds: number, random: () => number): number {
  return seconds * (1 + JITTER * random());
}
